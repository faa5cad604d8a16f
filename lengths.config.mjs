/**
 * Files of more than 300 lines and functions of more than 60 that have one idea, and why they are not split
 * (docs/decisions/0104-one-idea-may-be-long.md). eslint.config.mjs lets these alone be longer; test/lint/lengths.test.ts
 * holds that each still is.
 */
export const LONG_FILES = {
  'pipeline/runtime/runner.ts':
    'The states of a topology and what leads from one to the next, over the same fields.',
  'pipeline/runtime/shard/shard.ts':
    'The order in which the parts of a run are opened and closed again; dataflow.ts joins its stages.',
  'pipeline/runtime/scale-out/shard-group.ts':
    'The same for the shards of a consumer group, as partitions come and go.',
  'pipeline/runtime/stages/source-stage.ts':
    'What a batch passes between source and pump; each step changes its positions.',
  'pipeline/runtime/stages/sink/sink-stage.ts':
    'What a record passes until it is safe; queue, writer, flush, outbox are apart.',
  'pipeline/sources/kafka/group.ts':
    'A member of a consumer group: which partitions it has, and what Kafka is told of each.',
  'pipeline/sources/simulator/person/body.ts': 'A body: joints from a pose, and the ellipsoids between them.',
  'pipeline/sources/simulator/channel.ts':
    'The sum of a channel, in buffers that all of its terms share: it is what the simulator computes.',
  'operators/infer-pose/infer-pose.ts': 'The definition of a component, most of it its documentation.',
  'operators/infer-pose/serving/inference.ts':
    'What happens to a window until it has its result, also when a backend fails in the meantime.',
  'operators/infer-pose/serving/network-thread.ts': 'One thread: its windows, its watchdog, its restarts.',
  'operators/infer-pose/training/generate.ts': 'How training data are drawn; its order is what a seed means.',
};

export const LONG_FUNCTIONS = {
  'pipeline/runtime/stages/sink/sink-stage.ts': 'The constructor joins the parts of a sink, each named once.',
  'pipeline/sources/simulator/person/body.ts': 'From a pose to all joints, each from those before it.',
  'pipeline/sources/simulator/person/walk.ts': 'One step of steering, whose quantities depend on each other.',
  'operators/detect-falls/networks/dense.ts': 'A training loop.',
  'operators/infer-pose/training/loss.ts': 'One sum, term by term.',
};

/**
 * Files of test/ that sleep, and why nothing else will do. eslint.config.mjs lets these alone sleep;
 * test/lint/sleeps.test.ts holds that each still does.
 */
export const SLEEPS = {
  'test/support/waiting.ts': 'Between two looks at what reports no event.',
  'test/support/flow.ts': 'An operator that takes time, each record another: the times are what is tested.',
  'test/support/receivers.ts': 'A receiver that sends at a pace of its own.',
  'test/support/servers/influx2.ts': 'Between two questions whether the server has started.',
  'test/support/servers/postgres.ts': 'Between two questions whether the server has started.',
  'test/support/servers/prometheus.ts': 'Between two questions whether the server has started.',
  'test/support/servers/server.ts': 'Between two questions whether the server has started.',
  'test/faults/faulty-store.ts': 'A store that is slow.',
  'test/runtime/load-shedding.test.ts': 'A network that takes time: how much is what is tested.',
  'test/infer-pose/inference.test.ts': 'The thread waits as long for more windows to batch.',
  'test/kill/child.ts': 'Sources and operators that take time, while the process is killed.',
  'test/kill/growing.ts': 'A file that grows at a pace of its own.',
  'test/kill/kill.test.ts': 'A kill at any moment.',
  'test/kill/shedding.test.ts': 'A kill at any moment.',
  'test/long/receivers.test.ts': 'Recordings in real time.',
  'test/services/kafka-sink.test.ts': 'Between two looks at a topic; kills and suspensions at any moment.',
  'test/services/kafka-source.test.ts': 'Members of a group that come and go.',
  'test/services/scale-kills.test.ts': 'Input at a pace of its own.',
};

/** What counts as a sleep, as selectors of ESLint. */
export const SLEEPING = [
  "ImportDeclaration[source.value=/timers.promises$/] > ImportSpecifier[imported.name='setTimeout']",
  "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
];

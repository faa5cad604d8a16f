import type { Context, Logger, NodeMetrics, Operator } from '../../../../pipeline/component/index.js';
import type { CheckedNode } from '../../../../pipeline/config/topology/topology.js';
import type { Data, Failure } from '../../../../pipeline/model/index.js';
import { seededRandom } from '../../../../pipeline/base/random.js';
import type { RunningTopology } from '../../../../pipeline/runtime/status.js';

/**
 * Copies of a topology's operators for frames submitted through the service interface: in a row, with
 * separate state.
 */
export class OperatorRow {
  /** Dropped records, by reason. */
  readonly dropped: Record<string, number> = {};
  readonly #row: readonly { readonly operator: Operator; readonly from: string }[];

  constructor(nodes: readonly CheckedNode[], main: RunningTopology, host: Pick<Context, 'clock' | 'log'>) {
    this.#row = nodes.map((node) => ({
      operator: make(node, this.#context(node, main, host)),
      from: node.inputs[0]?.from ?? '',
    }));
  }

  /**
   * The output of the last operator.
   * @param watermark event time that the frames have reached, microseconds
   * @throws Error as an operator throws
   */
  async process(
    input: readonly Data[],
    watermark: number,
  ): Promise<{ readonly data: readonly Data[]; readonly failed: readonly Failure[] }> {
    let data = input;
    let time = watermark;
    const failed: Failure[] = [];
    for (const { operator, from } of this.#row) {
      const output: Data[] = [];
      for (const record of data) {
        const result = await operator.process(record, from);
        output.push(...result.data);
        failed.push(...(result.failed ?? []));
      }
      const closed = operator.watermark?.(time);
      output.push(...(closed?.data ?? []));
      failed.push(...(closed?.failed ?? []));
      time = operator.holdWatermark?.(time) ?? time;
      data = output;
    }
    return { data, failed };
  }

  #context(
    { id }: CheckedNode,
    { topology, links }: RunningTopology,
    { clock, log }: Pick<Context, 'clock' | 'log'>,
  ): Context {
    const { settings, environments, folder } = topology;
    const metrics: NodeMetrics = {
      dropped: (reason, count) => {
        this.dropped[reason] = (this.dropped[reason] ?? 0) + count;
      },
      missing: ignore,
      failed: ignore,
      gauge: ignore,
      count: ignore,
    };
    return {
      ...{ topology: topology.id, node: id, environments, inputs: [], links, clock, metrics, folder },
      log: prefixed(log, id),
      random: seededRandom(settings.seed, `${topology.id}/${id}`),
      stateFolder: settings.stateFolder,
      // The origin of a caller's frames is unknown, so they are not marked as live.
      provenance: { origin: 'replay' },
      degrade: ignore,
    };
  }
}

/** Figures of the running nodes only count their own data. */
const ignore = (): void => undefined;

function make({ component, config }: CheckedNode, context: Context): Operator {
  if (component.kind !== 'operator') throw new TypeError(`${component.name} is not an operator`);
  return component.create(config as never, context);
}

const prefixed = (log: Logger, node: string): Logger => {
  const line =
    (level: keyof Logger): Logger['info'] =>
    (message, fields) => {
      log[level](`submitted frames: ${message}`, { node, ...fields });
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
};

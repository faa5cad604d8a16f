import type { NodeFigures, NodeRates } from './node-figures.js';
import { congestionOf, depthsOf, inGraphOrder, overloadText } from './flow.js';
import { coloured } from './terminal.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';

/** Figures of all nodes at one moment, in the service's order. */
export interface Moment {
  /** Monotonic milliseconds of this machine. */
  readonly at: number;
  readonly nodes: readonly NodeFigures[];
}

/** Reads `/metrics` of the csiflow at `url`. @throws CommandError if none answers */
export async function readMoment(url: string): Promise<Moment> {
  const token = process.env['CSIFLOW_TOKEN'];
  let response: Response;
  try {
    response = await fetch(`${url}/metrics`, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(
      `no csiflow answers at ${url}: start one with \`csiflow run\`, or set --url`,
      EXIT.unavailable,
    );
  }
  if (response.status === 401)
    throw new CommandError(
      `${url} requires a credential (--require-login): set CSIFLOW_TOKEN to an access token or an API key`,
      EXIT.unavailable,
    );
  if (!response.ok) throw new CommandError(`${url}/metrics answered ${response.status}`, EXIT.unavailable);
  return { at: performance.now(), nodes: figuresOf(await response.text()) };
}

/** Figures of nodes from Prometheus' text format. */
export function figuresOf(text: string): readonly NodeFigures[] {
  const nodes = new Map<string, Figures>();
  for (const line of text.split('\n')) {
    const found = LINE.exec(line);
    if (!found) continue;
    const [, name, labels, value] = found;
    const { topology, node, ...more } = labelsOf(labels!);
    if (topology === undefined || node === undefined) continue;
    const key = `${topology}/${node}`;
    const figures = nodes.get(key) ?? new Figures(topology, node);
    nodes.set(key, figures);
    figures.add(name!, Number(value), more);
  }
  return inGraphOrder([...nodes.values()].filter(({ hasTotals }) => hasTotals));
}

const LINE = /^csiflow_([a-z_]+)\{(.*)\} (\S+)$/;

const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
      name,
      value!.replaceAll(/\\(.)/g, (_all, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    ]),
  ) as Record<string, string>;

class Figures implements NodeFigures {
  readonly topology: string;
  readonly node: string;
  received = 0;
  sent = 0;
  failed = 0;
  queueDepth = 0;
  undelivered = 0;
  busy = 0;
  gateClosed = 0;
  watermarkLag: number | null = null;
  isSource = false;
  order: number | null = null;
  reads: readonly string[] = [];
  readonly dropped: Record<string, number> = {};
  missing = 0;
  /** It has totals: other metrics may have the same labels. */
  hasTotals = false;

  constructor(topology: string, node: string) {
    this.topology = topology;
    this.node = node;
  }

  add(name: string, value: number, labels: Readonly<Record<string, string>>): void {
    switch (name) {
      case 'received_total':
        this.received = value;
        this.hasTotals = true;
        break;
      case 'sent_total':
        this.sent = value;
        break;
      case 'dropped_total':
        this.dropped[labels['reason'] ?? ''] = value;
        break;
      case 'missing_total':
        this.missing = value;
        break;
      case 'failed_total':
        this.failed += value;
        break;
      case 'queue_depth':
        this.queueDepth = value;
        break;
      case 'outbox_records':
        this.undelivered = value;
        break;
      case 'operator_seconds_total':
        this.busy = value;
        break;
      case 'gate_closed_seconds_total':
        this.gateClosed = value;
        break;
      case 'node_info':
        this.isSource = labels['kind'] === 'source';
        this.order = Number(labels['order']);
        this.reads = (labels['reads'] ?? '').split(',').filter((from) => from !== '');
        break;
      case 'watermark_lag_seconds':
        this.watermarkLag = value;
        break;
    }
  }
}

/** Rates of a new node start at 0; totals that decrease belong to a new start. */
export function ratesBetween(before: Moment, after: Moment): readonly NodeRates[] {
  const seconds = Math.max(1e-3, (after.at - before.at) / 1000);
  const earlier = new Map(before.nodes.map((node) => [`${node.topology}/${node.node}`, node]));
  return after.nodes.map((now) => {
    const then = earlier.get(`${now.topology}/${now.node}`);
    const rate = (read: (node: NodeFigures) => number): number => {
      const more = read(now) - (then ? read(then) : 0);
      return round((more < 0 ? read(now) : more) / seconds);
    };
    const [lag, lagBefore] = [now.watermarkLag, then?.watermarkLag ?? null];
    return {
      topology: now.topology,
      node: now.node,
      is_source: now.isSource,
      received_per_s: rate((node) => node.received),
      sent_per_s: rate((node) => node.sent),
      dropped_per_s: rate(({ dropped }) => sum(dropped)),
      dropped_by: Object.fromEntries(
        Object.keys(now.dropped).map((reason) => [reason, rate(({ dropped }) => dropped[reason] ?? 0)]),
      ),
      failed_per_s: rate((node) => node.failed),
      queue_depth: now.queueDepth,
      undelivered: now.undelivered,
      watermark_lag_s: lag === null ? null : round(lag),
      lag_growth: lag === null || lagBefore === null ? null : round((lag - lagBefore) / seconds),
      busy: rate((node) => node.busy),
      gate_closed: rate((node) => node.gateClosed),
      dropped_total: now.dropped,
      missing_total: now.missing,
      failed_total: now.failed,
      reads: now.reads,
    };
  });
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** For other programs; `bottleneck` and `too_slow` are null where there is none. */
export function ratesJson(rates: readonly NodeRates[], now: Date): string {
  const { bottleneck, overload } = congestionOf(rates);
  return JSON.stringify({
    time: now.toISOString(),
    bottleneck: bottleneck && { topology: bottleneck.topology, node: bottleneck.node },
    too_slow: overload && {
      topology: overload.topology,
      source: overload.source,
      behind_s: overload.behindS,
      dropped_per_s: overload.droppedPerS,
      busiest: overload.busiest,
    },
    nodes: rates,
  });
}

const COLUMNS = [
  'NODE',
  'IN/s',
  'OUT/s',
  'DROPPED/s',
  'FAILED',
  'QUEUE',
  'LAG s',
  'BUSY %',
  'GATE %',
] as const;

/**
 * A table for a terminal, indented as records flow; dropped frames by reason, missing ones, and the bottleneck follow
 * the row. A last line says so if the machine is too slow.
 */
export function ratesText(rates: readonly NodeRates[]): string {
  const several = new Set(rates.map(({ topology }) => topology)).size > 1;
  const depths = depthsOf(rates);
  const { bottleneck, overload } = congestionOf(rates);
  const rows = rates.map((node, index) => [
    `${' '.repeat(depths[index]!)}${several ? `${node.topology}/${node.node}` : node.node}`,
    figure(node.received_per_s),
    figure(node.sent_per_s),
    figure(node.dropped_per_s),
    String(node.failed_total),
    String(node.queue_depth + node.undelivered),
    node.watermark_lag_s === null ? '-' : figure(node.watermark_lag_s),
    figure(100 * node.busy),
    figure(100 * node.gate_closed),
  ]);
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ');
  const reasons = rates.map(({ dropped_total, missing_total }) =>
    Object.entries({ ...dropped_total, missing: missing_total })
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => `${reason} ${count}`)
      .join(', '),
  );
  const shown = rows.map((row, index) => {
    const notes = [reasons[index]!, ...(rates[index] === bottleneck ? ['<- bottleneck'] : [])];
    const text = `${line(row)}  ${notes.filter((note) => note !== '').join('  ')}`.trimEnd();
    return rates[index] === bottleneck ? coloured('red', text) : text;
  });
  const verdict = overload ? ['', coloured('red', overloadText(overload, several))] : [];
  return [line(COLUMNS), ...shown, ...verdict].join('\n');
}

const figure = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);

import { readFile } from 'node:fs/promises';
import { packageFile } from '../../pipeline/base/paths.js';

export interface PanelQuery {
  readonly title: string;
  /** With its variables substituted, like Grafana does. */
  readonly query: string;
}

export interface Panel {
  readonly title: string;
  readonly datasource: { readonly uid: string };
  /** The shortest `$__interval`, such as `1m`. */
  readonly interval?: string;
  /** InfluxQL, PromQL or SQL. */
  readonly targets: readonly {
    readonly query?: string;
    readonly expr?: string;
    readonly rawSql?: string;
    readonly format?: 'time_series' | 'table';
  }[];
}

export interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly query: string | { readonly query: string };
      readonly current: { readonly value: string | readonly string[] };
    }[];
  };
}

/** @param folder of InfluxQL and PromQL, or of SQL */
export const readDashboard = async (
  name: string,
  folder: 'dashboards' | 'influxdb3' = 'dashboards',
): Promise<Dashboard> =>
  JSON.parse(await readFile(packageFile(`topologies/grafana/${folder}/${name}.json`), 'utf8')) as Dashboard;

/**
 * The queries of all panels of a dashboard.
 *
 * @param variables by name, with or without the `$`
 */
export async function panelsOf(
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<readonly PanelQuery[]> {
  const { panels } = await readDashboard(name);
  return panels.flatMap(({ title, targets }) =>
    targets.map((target) => ({ title, query: putIn(target.query ?? target.expr ?? '', variables) })),
  );
}

function putIn(query: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables).reduce(
    (text, [name, value]) => text.replaceAll(name.startsWith('$') ? name : `$${name}`, () => value),
    query,
  );
}

/** The view of a user of Grafana. */
export interface View {
  /** Milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  /** Width of a panel in points. */
  readonly points: number;
  /** Values of the dashboard's variables. */
  readonly variables: Readonly<Record<string, string | readonly string[]>>;
}

/** The query of a panel as sent by Grafana to InfluxDB. */
export function grafanaQuery({ targets, interval = '1ms' }: Panel, view: View): string {
  const { from, to, points, variables } = view;
  const { rawSql, query } = targets[0]!;
  const width = intervalOf(to - from, points, milliseconds(interval));
  const values = Object.entries(variables);
  if (rawSql !== undefined)
    return putIn(rawSql, {
      ...Object.fromEntries(values.map(([name, value]) => [`\${${name}:sqlstring}`, asTexts(value)])),
      ...Object.fromEntries(values.map(([name, value]) => [name, asSql(name, value)])),
      ...{ $__interval_ms: String(width), $__from: String(from), $__to: String(to) },
    });
  return putIn(query!, {
    $timeFilter: `time >= ${from}ms and time <= ${to}ms`,
    $__interval: `${width}ms`,
    ...Object.fromEntries(values.map(([name, value]) => [name, asExpression(value)])),
  });
}

/** Like the format `sqlstring` of a variable. */
const asTexts = (value: string | readonly string[]): string =>
  [value]
    .flat()
    .map((one) => `'${one.replaceAll("'", "''")}'`)
    .join(',');

const LONGER: Readonly<Record<string, string>> = { '15m': '15 minutes', '1h': '1 hour', '1d': '1 day' };

/** In dashboards of SQL, the variable `sums` has the same choices as an interval of SQL. */
const asSql = (name: string, value: string | readonly string[]): string =>
  name === 'sums' ? LONGER[value as string]! : [value].flat().join(',');

/** Several values of a variable become alternatives of a regular expression. */
const asExpression = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.length === 1 ? value[0]! : `(${value.join('|')})`;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 };

/** Milliseconds of `15m`. */
export function milliseconds(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text)!;
  return Number(count) * UNITS[unit!]!;
}

/** Grafana rounds values below the first figure to the second, milliseconds. */
const ROUNDED: readonly (readonly [below: number, interval: number])[] = [
  ...([
    [10, 1],
    [15, 10],
    [35, 20],
    [75, 50],
    [150, 100],
    [350, 200],
    [750, 500],
  ] as const),
  ...([
    [1_500, 1e3],
    [3_500, 2e3],
    [7_500, 5e3],
    [12_500, 1e4],
    [17_500, 1.5e4],
    [25_000, 2e4],
  ] as const),
  ...([
    [45_000, 3e4],
    [9e4, 6e4],
    [2.1e5, 1.2e5],
    [4.5e5, 3e5],
    [7.5e5, 6e5],
    [1.05e6, 9e5],
  ] as const),
  ...([
    [1.5e6, 1.2e6],
    [2.7e6, 1.8e6],
    [5.4e6, 3.6e6],
    [9e6, 7.2e6],
    [1.62e7, 1.08e7],
  ] as const),
  ...([
    [3.24e7, 2.16e7],
    [8.64e7, 4.32e7],
    [6.048e8, 8.64e7],
  ] as const),
];

/**
 * Grafana's `$__interval`: the range over the points of the panel, rounded, and no shorter than the panel's
 * minimum.
 */
export function intervalOf(range: number, points: number, least: number): number {
  const raw = range / points;
  const rounded = ROUNDED.find(([below]) => raw < below)?.[1] ?? 6.048e8;
  return Math.max(rounded, least);
}

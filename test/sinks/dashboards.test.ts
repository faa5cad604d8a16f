import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFile } from '../../pipeline/base/paths.js';
import { grafanaQuery, readDashboard } from '../support/dashboards.js';

// Dashboards are compared with a run of the demo by test/services/dashboards.test.ts; this part needs no
// server.

const OVER_INFLUXDB = ['people-and-falls', 'links-and-signal-quality'];
const ALL = [...OVER_INFLUXDB, 'engine'];

test.each(ALL)('%s names data sources that are provisioned', async (name) => {
  const { datasources } = parse(
    await readFile(packageFile('topologies/grafana/provisioning/datasources/csiflow.yaml'), 'utf8'),
  ) as { readonly datasources: readonly { readonly uid: string }[] };
  const { panels } = await readDashboard(name);
  const known = datasources.map(({ uid }) => uid);
  expect(known).toEqual(expect.arrayContaining(panels.map(({ datasource }) => datasource.uid)));
});

test.each(OVER_INFLUXDB)('%s does not mix environments or origins', async (name) => {
  const { panels } = await readDashboard(name);
  const view = {
    ...{ from: 1, to: 3_600_001, points: 100 },
    variables: { environment: ['a', 'b'], origin: ['live'], sums: '1h', timezone: 'UTC' },
  };
  for (const panel of panels) {
    const query = grafanaQuery(panel, view);
    expect(query, panel.title).not.toMatch(/\$[_{a-z]/);
    const sources = query.match(/FROM "/g)!.length;
    for (const wanted of [/"environment" =~ \/\^\(a\|b\)\$\//g, /"origin" =~ \/\^live\$\//g])
      expect(query.match(wanted), panel.title).toHaveLength(sources);
    // A panel for each environment, or a table with a column or a line for each.
    if (!panel.title.includes('$environment'))
      expect(query, panel.title).toMatch(/GROUP BY .*"environment"|SELECT "environment"/);
  }
});

/** https://docs.influxdata.com/influxdb3/core/reference/influxql/feature-support/, the parts that dashboards use. */
const OF_INFLUXDB3 = [
  'count',
  'fill',
  'last',
  'max',
  'mean',
  'median',
  'min',
  'percentile',
  'sum',
  'time',
  'tz',
];

test('queries of dashboards use only functions of InfluxQL that InfluxDB 3 has', async () => {
  const queries: string[] = [];
  for (const name of OVER_INFLUXDB) {
    const { panels, templating } = await readDashboard(name);
    queries.push(...panels.flatMap(({ targets }) => targets.map(({ query }) => query!)));
    for (const { query } of templating.list) queries.push(typeof query === 'string' ? query : query.query);
  }
  const used = queries.flatMap((query) => [...query.matchAll(/\b(\w+)\(/g)].map(([, name]) => name!));
  expect([...new Set(used)].sort()).toEqual(OF_INFLUXDB3);
  for (const query of queries) expect(query).not.toMatch(/\b(SLIMIT|SOFFSET|INTO|SERIES|CARDINALITY)\b/i);
});

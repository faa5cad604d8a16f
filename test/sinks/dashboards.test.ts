import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageFile } from '../../pipeline/base/paths.js';
import { grafanaQuery, readDashboard, type Dashboard, type Panel } from '../support/dashboards.js';

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

describe('over InfluxDB 3', () => {
  test.each(OVER_INFLUXDB)('%s has the panels and variables of InfluxDB 1 and 2', async (name) => {
    const [influxQl, sql] = await Promise.all([readDashboard(name), readDashboard(name, 'influxdb3')]);
    expect(sql.panels.map(appearance)).toEqual(influxQl.panels.map(appearance));
    const names = ({ templating }: Dashboard) => templating.list.map((variable) => variable.name);
    expect(names(sql)).toEqual(names(influxQl));
  });

  test.each(OVER_INFLUXDB)('%s names the data source that is provisioned', async (name) => {
    const { datasources } = parse(
      await readFile(packageFile('topologies/grafana/influxdb3/datasource.yaml'), 'utf8'),
    ) as { readonly datasources: readonly { readonly uid: string }[] };
    const { panels } = await readDashboard(name, 'influxdb3');
    const [{ uid }] = datasources as [{ readonly uid: string }];
    expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set([uid]));
  });

  test.each(OVER_INFLUXDB)('%s does not mix environments or origins', async (name) => {
    const { panels } = await readDashboard(name, 'influxdb3');
    const view = {
      ...{ from: 1, to: 3_600_001, points: 100 },
      variables: { environment: ['a', "b'c"], origin: ['live'], sums: '1h', timezone: 'UTC' },
    };
    for (const panel of panels) {
      const query = grafanaQuery(panel, view);
      expect(query, panel.title).not.toMatch(/\$[_{a-z]/);
      const tables = query.match(/FROM (occupancy|event|measure|motion|track|vitals|link_quality) /g)!.length;
      for (const wanted of [/environment IN \('a','b''c'\)/g, /origin IN \('live'\)/g])
        expect(query.match(wanted), panel.title).toHaveLength(tables);
      // A panel for each environment, or a column that names it.
      if (!panel.title.includes('$environment'))
        expect(query, panel.title).toMatch(/(SELECT|time,) (lines\.|rooms\.)?environment/);
    }
  });
});

/** What a panel is, apart from its query. */
const appearance = ({ title, interval, ...panel }: Panel & { gridPos?: object; description?: string }) => ({
  ...{ title, interval, gridPos: panel.gridPos, description: panel.description },
});

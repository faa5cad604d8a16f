import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { addProcessMetrics } from '../../pipeline/telemetry/process-metrics.js';
import { openTracer } from '../../pipeline/telemetry/traces/otlp.js';

interface Documented {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

const page = readFileSync(packageFile('docs/metrics.md'), 'utf8');

/** Rows of the table under a heading. */
function table(heading: string): readonly Documented[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  return [...section.split('\n## ')[0]!.matchAll(/^\| `([a-z_<>]+)` \| (\w+) \| ([^|]*)\| [^|]+\|$/gm)].map(
    ([, name, type, labels]) => ({
      name: name!,
      type: type!,
      labels: labels!.split(',').flatMap((label) => label.trim() || []),
    }),
  );
}

const byName = (a: Documented, b: Documented): number => (a.name < b.name ? -1 : 1);

test('the metrics page names exactly those of the engine, with their types and labels', async () => {
  const metrics = createMetrics();
  addProcessMetrics(metrics.registry, '1.0.0');
  const log = createLogger({ destination: { write: () => undefined } });
  await openTracer({ ratio: 1 }, { metrics, log, version: '1.0.0' }).close();
  const registered = metrics.registry.getMetricsAsArray().map((metric) => {
    // prom-client does not expose the labels of a metric.
    const { labelNames } = metric as unknown as { readonly labelNames: readonly string[] };
    return { name: metric.name, type: String(metric.type), labels: labelNames };
  });
  expect([...table('Metrics of the engine')].sort(byName)).toEqual(registered.sort(byName));
});

test('the metrics page names exactly those of components', () => {
  const counted = sources().flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /\b(?:metrics|meter)\.(gauge|count)\(\s*['`]([a-z_]+)(\$\{\w+\})?['`]/g,
      ),
    ].map(([, kind, name, rest]) => {
      const whole = `csiflow_${name!}${rest ? '<kind>' : ''}`;
      return kind === 'count' && !whole.endsWith('_total') ? `${whole}_total` : whole;
    }),
  );
  const documented = table('Metrics of components');
  const names = new Set(counted.map((name) => name.replace('packets_csi_', 'packets_<kind>_')));
  expect(documented.map(({ name }) => name).sort()).toEqual([...names].sort());
  for (const { name, type, labels } of documented) {
    expect(type).toBe(name.endsWith('_total') ? 'counter' : 'gauge');
    expect(labels.slice(0, 2)).toEqual(['topology', 'node']);
  }
});

test('the metrics page names every reason for dropped records', () => {
  const reasons = sources().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\b(?:dropped|refused)\('([a-z_]+)'/g)].map(
      ([, reason]) => reason!,
    ),
  );
  expect(reasons.length).toBeGreaterThan(5);
  for (const reason of reasons) expect(page).toContain(`\`${reason}\``);
});

function sources(): readonly string[] {
  return ['pipeline', 'operators', 'sinks', 'api'].flatMap((folder) =>
    readdirSync(packageFile(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

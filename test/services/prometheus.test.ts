import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Csiflow } from '../support/csiflow.js';
import { startPrometheus, type PrometheusServer } from '../support/servers/prometheus.js';

let folder: string;
let csiflow: Csiflow;
let address: string;
let prometheus: PrometheusServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-prometheus-'));
  csiflow = new Csiflow(['run', 'topologies/demo.yaml', '--port', '0'], { env: { CSIFLOW_DATA: folder } });
  address = (await csiflow.printed(/metrics {5}(http:\S+)\/metrics/))[1]!;
  prometheus = await startPrometheus([new URL(address).host]);
}, 120_000);

afterAll(async () => {
  await prometheus.server.stop();
  await csiflow.interrupt();
  rmSync(folder, { recursive: true });
}, 60_000);

test('promtool has no finding about the metrics of a running system', async () => {
  await prometheus.waitFor('csiflow_sent_total{node="history"} > 0');
  const text = await (await fetch(`${address}/metrics`)).text();
  const { code, output } = await promtool(text);
  expect(output).toBe('');
  expect(code).toBe(0);
}, 120_000);

test('Prometheus scrapes it, and its figures are those of the status', async () => {
  // On a busy machine a scrape that takes too long leaves a gap.
  await prometheus.waitFor('up{job="csiflow"} == 1');
  expect(await prometheus.waitFor('csiflow_topology_state == 1')).toMatchObject([
    { metric: { topology: 'demo', state: 'running' } },
  ]);
  await prometheus.waitFor('csiflow_checkpoint_age_seconds < 60');
  await prometheus.waitFor('histogram_quantile(0.99, rate(csiflow_latency_seconds_bucket[1m])) > 0');
  const nodes = await prometheus.waitFor('csiflow_received_total');
  expect(nodes.map(({ metric }) => metric['node']).sort()).toEqual(
    [
      ...['flat', 'gain', 'clean', 'phase', 'windows', 'motion', 'poses', 'people', 'falls'],
      ...['activities'],
      ...['inactivity', 'vitals', 'zones', 'links', 'history', 'live', 'webhooks'],
    ].sort(),
  );
  // A node's output is the input of those behind it: nothing is counted twice or missed between two scrapes.
  const [between] = await prometheus.waitFor(
    'abs(sum(csiflow_sent_total{node="clean"}) - sum(csiflow_received_total{node="phase"}))',
  );
  expect(Number(between!.value[1])).toBe(0);
}, 120_000);

test('the alerts of the metrics page are valid Prometheus rules', async () => {
  const page = readFileSync('docs/metrics.md', 'utf8');
  const rules = /```yaml\n(groups:[\s\S]*?)```/.exec(page)![1]!;
  const file = join(folder, 'rules.yaml');
  writeFileSync(file, rules);
  const { code, output } = await run(['check', 'rules', file]);
  const written = rules.match(/- alert:/g)!;
  expect(output).toContain(`${written.length} rules found`);
  expect(code).toBe(0);
});

const promtool = (text: string) => run(['check', 'metrics'], text);

function run(args: readonly string[], input = ''): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile('promtool', [...args], (_, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
    child.stdin!.end(input);
  });
}

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { denoise } from '../../operators/denoise/denoise.js';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../operators/window/window.js';
import type { AnyOperator, Operator, Output, SourceOutput } from '../../pipeline/component/index.js';
import { LinkTable, type Data, type Environment, type SensedEvent } from '../../pipeline/model/index.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';

interface Demo {
  readonly sources: { readonly flat: Record<string, unknown> };
  readonly operators: Record<string, Record<string, unknown>>;
}

const demo = parse(readFileSync(packageFile('topologies/demo.yaml'), 'utf8')) as Demo;
const flat = {
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
  ...(parse(readFileSync(packageFile('topologies/environments/demo-flat.yaml'), 'utf8')) as object),
} as unknown as Environment;

/** A node's own configuration. */
const fieldsOf = (node: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(node).filter(([name]) => name !== 'type' && name !== 'from'));

/** Events of the demo's operators in its first minute, and the time of the true fall, seconds. */
async function firstMinute(): Promise<{ events: SensedEvent[]; fall: number }> {
  const { context } = testContext({ environments: [flat], links: new LinkTable([flat]) });
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-falls-'));
  const truth = join(folder, 'truth.jsonl');
  const make = (component: AnyOperator, node: string): Operator => {
    return component.create(withDefaults(component, fieldsOf(demo.operators[node]!)) as never, context);
  };
  const chain = [
    make(denoise, 'clean'),
    make(phaseSanitize, 'phase'),
    make(window, 'windows'),
    make(detectFalls, 'falls'),
  ];
  const events: SensedEvent[] = [];
  const push = (data: Data, at = 0): void => {
    if (at === chain.length) events.push(data as SensedEvent);
    else for (const next of (chain[at]!.process(data, 'before') as Output<Data>).data) push(next, at + 1);
  };
  const output = {
    signal: new AbortController().signal,
    offer: ({ data = [] }: { data?: readonly Data[] }) => {
      for (const one of data) push(one);
      return true;
    },
  } as unknown as SourceOutput;
  const config = {
    ...fieldsOf(demo.sources.flat),
    speed: 0,
    start_time: '1970-01-01T00:00:00Z',
    duration_s: 62,
    truth,
  };
  await simulator.create(withDefaults(simulator, config) as never, context).open(null, output);
  for (const last of chain[2]!.watermark!(Infinity).data) push(last, 3);
  const lines = readFileSync(truth, 'utf8').trim().split('\n');
  await rm(folder, { recursive: true });
  const truths = lines.map((line) => JSON.parse(line) as { time: number; activity: string });
  return { events, fall: truths.find(({ activity }) => activity === 'fall')!.time / 1e6 };
}

it("the demo's fall raises exactly one alarm within five seconds, and nothing else in its first minute does", async () => {
  const { events, fall } = await firstMinute();
  expect(fall).toBeGreaterThan(30);
  expect(events).toHaveLength(1);
  expect(Math.abs(events[0]!.time / 1e6 - fall)).toBeLessThan(5);
});

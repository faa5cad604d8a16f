import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { components } from '../../api/components.js';
import { Registry, type Component, type Sink, type Source } from '../../pipeline/component/index.js';
import { parseTopology } from '../../pipeline/config/index.js';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import { createRunner, type Runner } from '../../pipeline/runtime/runner.js';
import { testEnvironment } from '../support/context.js';
import { aborted, quiet } from '../support/flow.js';

/** As in the registry, but without network access or models. */
function inert(component: Component): Component {
  const source: Source = {
    open: async (_, output) => {
      output.ready?.();
      await aborted(output.signal);
    },
  };
  const sink: Sink = {
    open: async () => undefined,
    write: async () => [],
    flush: async () => undefined,
    rewind: async () => undefined,
    close: async () => undefined,
  };
  if (component.kind === 'source') return { ...component, create: () => source };
  if (component.kind === 'sink') return { ...component, create: () => sink };
  if (component.name !== 'infer-pose') return component;
  return { ...component, create: () => ({ process: async () => ({ data: [] }), adjust: () => undefined }) };
}

/** Nodes on which every field of the configuration has an effect. */
export const WHOLE = {
  sources: { flat: { type: 'simulator' } },
  operators: {
    windows: { type: 'window', from: 'flat', length_ms: 2000, hop_ms: 200, points: 100 },
    poses: { type: 'infer-pose', from: 'windows', backend: 'wasm' },
    people: { type: 'track-persons', from: 'poses', max_age_ms: 20_000 },
    falls: { type: 'detect-falls', from: ['windows', 'people'] },
    doings: { type: 'detect-activity', from: 'people' },
    still: { type: 'detect-inactivity', from: 'people' },
  },
  sinks: {
    live: { type: 'websocket', from: ['people', 'falls', 'doings', 'still'] },
    broker: { type: 'mqtt', from: ['people', 'falls'], url: 'mqtt://127.0.0.1:1' },
    stream: { type: 'kafka', from: ['people'], brokers: ['127.0.0.1:1'] },
  },
};

export interface Bench {
  readonly runner: Runner;
  readonly folder: string;
  parse(nodes: object): CheckedTopology;
  /** Stops the runner and removes its files. */
  close(): Promise<void>;
}

/** A stopped runner over a topology of inert components from the registry, and some of its own. */
export function bench(
  nodes: object = WHOLE,
  environments = [testEnvironment],
  own: readonly Component[] = [],
): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-config-'));
  const known = new Registry([...components.list().map(inert), ...own]);
  environments.forEach((environment) => {
    writeFileSync(join(folder, `${environment.id}.yaml`), stringify(environment));
  });
  const parse = (of: object): CheckedTopology => {
    const text = stringify({
      id: 'room',
      environments: environments.map(({ id }) => `${id}.yaml`),
      settings: { state_folder: 'state' },
      ...of,
    });
    const { topology, problems } = parseTopology({ text, shown: 'room.yaml', file: null, folder }, known, {
      env: {},
    });
    if (!topology) throw new Error(JSON.stringify(problems, null, 1));
    return topology;
  };
  const runner = createRunner(parse(nodes), { log: quiet });
  const close = async () => {
    await runner.stop({ force: true });
    rmSync(folder, { recursive: true });
  };
  return { runner, folder, parse, close };
}

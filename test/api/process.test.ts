import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { Sessions } from '../../api/service/queries/processing/sessions.js';
import { inferPose } from '../../operators/infer-pose/infer-pose.js';
import type { Operator } from '../../pipeline/component/index.js';
import { parseTopology } from '../../pipeline/config/index.js';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import { frameSize, LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { openService, type TestService } from './support.js';

const PATH = '/form-b/api/v1/pose/process';
const folder = fileURLToPath(new URL('../../topologies', import.meta.url));

const TOPOLOGY = `
id: test
environment: environments/demo-flat.yaml
sources: { flat: { type: simulator, rate_hz: 50 } }
operators:
  clean: { type: denoise, from: flat }
  phase: { type: phase-sanitize, from: clean }
  windows: { type: window, from: phase, length_ms: 2000, hop_ms: 200, points: 100 }
  poses: { type: infer-pose, from: windows, backend: wasm, presence: 0 }
  people: { type: track-persons, from: poses }
sinks: { live: { type: websocket, from: people } }
`;

function parsed(text: string): CheckedTopology {
  const source = { text, shown: 'test.yaml', file: null, folder };
  const { topology, problems } = parseTopology(source, components, { env: {}, secrets: undefined });
  if (!topology) throw new Error(JSON.stringify(problems));
  return topology;
}

const topology = parsed(TOPOLOGY);
const links = new LinkTable(topology.environments);

interface Frame {
  readonly timestamp: string;
  readonly antenna_data: readonly (readonly { readonly real: number; readonly imag: number }[])[];
  readonly metadata: { readonly router_id: string; readonly signal_strength?: number };
}

/** Frames of a simulated walking person, and the blocks that contained them. */
async function simulated(seconds: number): Promise<{ frames: Frame[]; blocks: CsiBlock[] }> {
  const { context } = testContext({ environments: topology.environments, links });
  const blocks: CsiBlock[] = [];
  const config = {
    ...{ speed: 0, start_time: '2026-01-01T00:00:00Z', seed: 3, duration_s: seconds, rate_hz: 50 },
    people: [{ script: [{ activity: 'walk', seconds: 30, speed: 1.1 }] }],
  };
  await simulator.create(withDefaults(simulator, config) as never, context).open(null, {
    signal: new AbortController().signal,
    offer: ({ data = [] }) => {
      blocks.push(...(data as CsiBlock[]));
      return true;
    },
  });
  return { frames: blocks.flatMap(framesOf), blocks };
}

const framesOf = ({ layout, count, time, link, values }: CsiBlock): Frame[] =>
  Array.from({ length: count }, (_, row) => {
    const at = row * frameSize(layout);
    return {
      timestamp: new Date(time[row]! / 1000).toISOString(),
      antenna_data: [
        Array.from(layout.subcarriers, (_, k) => ({
          real: values[at + 2 * k]!,
          imag: values[at + 2 * k + 1]!,
        })),
      ],
      metadata: { router_id: links.at(link[row]!).link.sender },
    };
  });

interface Answer {
  readonly status: string;
  readonly poses: readonly {
    readonly timestamp: string;
    readonly frame_id: number;
    readonly person_id: number;
    readonly dense_pose?: object;
  }[];
  readonly metadata: {
    readonly windows: number;
    readonly held_ms: number;
    readonly needed_ms: number;
    readonly csi_quality: number;
    readonly note: string;
    readonly tracking: boolean;
    readonly session_continued: boolean;
    readonly frames_taken: number;
    readonly frames_dropped: Record<string, number>;
    readonly model_version: string;
  };
}

let network: Operator;
let run: Awaited<ReturnType<typeof simulated>>;
beforeAll(async () => {
  const node = topology.nodes.find(({ id }) => id === 'poses')!;
  const { context } = testContext({ environments: topology.environments, links, folder });
  network = inferPose.create(node.config as never, context);
  await network.open?.();
  run = await simulated(4);
});
afterAll(async () => {
  await network.close?.();
});

let service: TestService;
beforeEach(async () => {
  service = await openService();
  Object.assign(service.main, {
    ...{ topology, links },
    ask: async (node: string, data: never) => {
      expect(node).toBe('poses');
      return network.process(data, 'windows');
    },
  });
});
afterEach(async () => {
  await service.close();
});

const post = (body: object, role: 'operator' | 'viewer' = 'operator') =>
  service.post(PATH, body, service.token(role));

async function answered(body: object): Promise<Answer> {
  const response = await post(body);
  const { data, error } = (await response.json()) as { data: Answer; error: unknown };
  expect(error).toBeUndefined();
  return data;
}

async function refused(
  body: object,
  status: number,
): Promise<{ message: string; details: { field?: string } }> {
  const response = await post(body);
  expect(response.status).toBe(status);
  return ((await response.json()) as { error: { message: string; details: { field?: string } } }).error;
}

describe('one frame alone', () => {
  test('is answered with no poses and the reason', async () => {
    const answer = await answered({
      csi_data: run.frames[0],
      processing_options: { return_dense_pose: true },
    });
    expect(answer).toMatchObject({
      status: 'insufficient_data',
      poses: [],
      metadata: { windows: 0, held_ms: 0, needed_ms: 2200, model_version: 'none', frames_taken: 1 },
    });
    expect(answer.metadata.note).toContain('one frame is one moment');
  });
});

describe('a run of frames', () => {
  test('gives a person for each window, as the network infers them, in any order of frames', async () => {
    const answer = await answered({ csi_data: run.frames });
    expect(answer.status).toBe('completed');
    expect(answer.metadata.windows).toBeGreaterThanOrEqual(9);
    expect(answer.metadata.csi_quality).toBeGreaterThan(0.9);
    expect(answer.metadata.model_version).toContain('trained on simulated CSI');
    expect(new Set(answer.poses.map(({ person_id: id }) => id))).toEqual(new Set([1]));
    const shuffled = await answered({ csi_data: [...run.frames].reverse() });
    expect(shuffled.poses).toEqual(answer.poses);
  });

  test('continued in a session gives the same poses of the same persons as in one call', async () => {
    const whole = await answered({ csi_data: run.frames, session_id: 'whole' });
    const middle = Math.floor(run.frames.length / 2);
    const first = await answered({ csi_data: run.frames.slice(0, middle), session_id: 'parts' });
    const second = await answered({ csi_data: run.frames.slice(middle), session_id: 'parts' });
    expect([first, second].map(({ metadata }) => metadata.session_continued)).toEqual([false, true]);
    expect([...first.poses, ...second.poses]).toEqual(whole.poses);
    expect(second.metadata.held_ms).toBe(whole.metadata.held_ms);
    const again = await answered({ csi_data: run.frames.slice(0, middle), session_id: 'parts' });
    expect(again).toMatchObject({
      status: 'insufficient_data',
      metadata: { frames_dropped: { late: middle } },
    });
    expect(again.metadata.note).toContain('older than the newest of the session are ignored');
  });

  test('without tracking gives nobody a number', async () => {
    const answer = await answered({ csi_data: run.frames, processing_options: { enable_tracking: false } });
    expect(answer.metadata.tracking).toBe(false);
    expect(new Set(answer.poses.map(({ person_id: id }) => id))).toEqual(new Set([0]));
  });

  test('drops persons below the threshold, and adds dense pose on request', async () => {
    const none = await answered({ csi_data: run.frames, processing_options: { confidence_threshold: 1 } });
    expect(none).toMatchObject({ status: 'completed', poses: [] });
    const options = { return_dense_pose: true, max_persons: 1 };
    const dense = await answered({ csi_data: run.frames, processing_options: options });
    expect(dense.poses.length).toBeGreaterThan(0);
    expect(dense.poses.every((pose) => 'dense_pose' in pose)).toBe(true);
  });

  test('draws people of the newest moments only', async () => {
    const [{ metadata }] = run.frames as [Frame];
    const long = (await simulated(25)).frames.filter(
      (frame) => frame.metadata.router_id === metadata.router_id,
    );
    const { message } = await refused(
      { csi_data: long, processing_options: { return_dense_pose: true } },
      422,
    );
    expect(message).toMatch(/makes 1\d\d windows, but the limit is 100 with return_dense_pose/);
  });

  test('reports the value of one link out of four', async () => {
    const sender = run.frames[0]!.metadata.router_id;
    const alone = run.frames.filter(({ metadata }) => metadata.router_id === sender);
    const answer = await answered({ csi_data: alone });
    expect(answer.metadata.csi_quality).toBeLessThan(0.3);
    expect(answer.metadata.note).toContain('less reliable');
  });
});

describe('rejects', () => {
  const frame = (changes: object): object => ({ ...run.frames[0], ...changes });

  test('a router that no link names', async () => {
    const error = await refused({ csi_data: frame({ metadata: { router_id: 'stranger' } }) }, 422);
    expect(error.details.field).toBe('csi_data.metadata.router_id');
    expect(error.message).toContain('node-1, node-2');
  });

  test('a shape that the link does not send, naming what it sends', async () => {
    // The first call opens the listener.
    const listening = post({ csi_data: frame({}) });
    const heard = setInterval(() => {
      service.main.publish(run.blocks[0]!);
    }, 5);
    expect((await listening).status).toBe(200);
    clearInterval(heard);
    const error = await refused({ csi_data: frame({ antenna_data: [[{ real: 1, imag: 0 }]] }) }, 422);
    expect(error.details.field).toBe('csi_data.antenna_data');
    expect(error.message).toContain(
      'sends 1 antenna of 52 subcarriers: 1 antenna of 1 subcarriers do not fit',
    );
  });

  test.each([
    ['rows of different length', { antenna_data: [[{ real: 1, imag: 0 }], []] }, 'csi_data.antenna_data.1'],
    ['no value', { antenna_data: [[{ real: 1 }]] }, 'csi_data.antenna_data.0.0.imag'],
    ['an invalid time', { timestamp: 'now' }, 'csi_data.timestamp'],
    ['an unknown field', { colour: 'red' }, 'csi_data.colour'],
  ])('%s', async (_, changes, field) => {
    expect((await refused({ csi_data: frame(changes) }, 422)).details.field).toBe(field);
  });

  test('an invalid frame in a run, by its index', async () => {
    const error = await refused({ csi_data: [frame({}), frame({ metadata: { router_id: 'x' } })] }, 422);
    expect(error.details.field).toBe('csi_data.1.metadata.router_id');
  });

  test('runs that are too long', async () => {
    const late = frame({ timestamp: '2026-01-01T00:02:00Z' });
    expect((await refused({ csi_data: [frame({}), late] }, 422)).message).toContain('60 seconds');
  });

  test("a frame with too few subcarriers for the network, with the network's message", async () => {
    const narrow = run.frames.map((one) => ({ ...one, antenna_data: [one.antenna_data[0]!.slice(0, 4)] }));
    expect((await refused({ csi_data: narrow }, 422)).message).toContain('the network needs 13');
  });

  test('callers who are not operators', async () => {
    expect((await post({ csi_data: frame({}) }, 'viewer')).status).toBe(403);
  });

  test('with 503 if the topology has no network, or does not run', async () => {
    const text = TOPOLOGY.replace(/ {2}poses:.*\n {2}people:.*\n/, '').replace(
      'from: people',
      'from: windows',
    );
    Object.assign(service.main, {
      topology: { ...topology, nodes: topology.nodes.filter(({ id }) => !/poses|people/.test(id)) },
    });
    expect(text).not.toContain('infer-pose');
    const response = await post({ csi_data: frame({}) });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'MODEL_ERROR' } });
    service.main.state = 'stopped';
    expect((await post({ csi_data: frame({}) })).status).toBe(503);
  });

  test('tracking if nothing follows persons', async () => {
    Object.assign(service.main, {
      topology: { ...topology, nodes: topology.nodes.filter(({ id }) => id !== 'people') },
    });
    const error = await refused({ csi_data: frame({}), processing_options: { enable_tracking: true } }, 422);
    expect(error.details.field).toBe('processing_options.enable_tracking');
  });

  test('millions of errors at once, naming one of them', async () => {
    const error = await refused(
      { csi_data: frame({ antenna_data: Array(8).fill(Array(50_000).fill({})) }) },
      422,
    );
    expect(error.details.field).toContain('csi_data.antenna_data');
  });
});

describe('sessions', () => {
  let now: number;
  let made: number;
  let sessions: Sessions<number>;
  beforeEach(() => {
    now = 0;
    made = 0;
    sessions = new Sessions<number>({ now: () => 0, elapsed: () => now });
  });
  const of = (account: string, name: string) => sessions.of(account, name, () => ++made);

  test('belong to one account, and end after a minute without use', () => {
    expect(of('ann', 'a')).toEqual({ session: 1, continued: false });
    expect(of('bob', 'a')).toEqual({ session: 2, continued: false });
    now = 60_000;
    expect(of('ann', 'a')).toEqual({ session: 1, continued: true });
    now = 120_001;
    expect(of('ann', 'a')).toEqual({ session: 3, continued: false });
  });

  test('end after an hour, however much they are used', () => {
    of('ann', 'a');
    for (now = 50_000; now <= 3_600_000; now += 50_000) expect(of('ann', 'a').session).toBe(1);
    now = 3_600_001;
    expect(of('ann', 'a').continued).toBe(false);
  });

  test('are at most four per account: the least recently used one is dropped', () => {
    for (const name of ['a', 'b', 'c', 'd', 'a', 'e']) of('ann', name);
    expect(['a', 'c', 'd', 'e'].map((name) => of('ann', name).continued)).toEqual([true, true, true, true]);
    expect(of('ann', 'b').continued).toBe(false);
  });

  test('are at most 32 in total', () => {
    for (let account = 0; account < 33; account++) of(`account-${account}`, 'a');
    expect(of('account-32', 'a').continued).toBe(true);
    expect(of('account-0', 'a').continued).toBe(false);
  });

  test('are dropped when their state is no longer valid', () => {
    sessions.forget(of('ann', 'a').session);
    expect(of('ann', 'a').continued).toBe(false);
  });
});

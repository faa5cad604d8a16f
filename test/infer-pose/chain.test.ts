import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { AnyOperator, Context, Operator } from '../../pipeline/component/index.js';
import {
  EnvironmentSchema,
  LinkTable,
  type Data,
  type Environment,
  type Window,
} from '../../pipeline/model/index.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { denoise } from '../../operators/denoise/denoise.js';
import { UNCALIBRATED } from '../../operators/infer-pose/model/calibration.js';
import { Engine } from '../../operators/infer-pose/serving/engine.js';
import { ProfileLearner } from '../../operators/infer-pose/windows/profiles.js';
import { requestOf } from '../../operators/infer-pose/windows/request.js';
import { SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window as windowOperator } from '../../operators/window/window.js';
import { testContext } from '../support/context.js';

const RATE = 50;
const ORIGIN = 1_700_000_000_000_000;

/** The demo's flat as played by the simulator source, through the operators before the network. */
class Chain {
  readonly environment: Environment;
  readonly links: LinkTable;
  readonly #stages: Operator[];

  constructor() {
    const environment: unknown = parse(
      readFileSync(packageFile('topologies/environments/demo-flat.yaml'), 'utf8'),
    );
    fillDefaults(EnvironmentSchema, environment);
    this.environment = environment as Environment;
    this.links = new LinkTable([this.environment]);
    const { context } = testContext({ environments: [this.environment], links: this.links });
    this.#stages = [
      make(denoise, {}, context),
      make(phaseSanitize, {}, context),
      make(windowOperator, { length_ms: 2000, hop_ms: 200, points: 100 }, context),
    ];
  }

  windows(stage: Stage, seconds: number): Window[] {
    stage.enter(0);
    const out: Window[] = [];
    const table = this.environment.links.map((_, index) => index);
    for (let tick = 0; tick < seconds * RATE; tick += 5) {
      let data: readonly Data[] = [stage.play(tick, tick + 5, ORIGIN, 0, table)];
      for (const operator of this.#stages) {
        data = data.flatMap((one) => (operator.process(one, 'before') as { data: readonly Data[] }).data);
      }
      const closed = this.#stages.at(-1)!.watermark!(ORIGIN + (tick * 1e6) / RATE).data;
      out.push(...([...data, ...closed] as Window[]));
    }
    return out;
  }
}

function make(component: AnyOperator, config: object, context: Context): Operator {
  fillDefaults(component.config, config);
  return component.create(config as never, context);
}

function fillDefaults(schema: object, value: unknown): void {
  const check = new Ajv({ useDefaults: true, strict: false }).compile(schema);
  if (!check(value)) throw new Error(JSON.stringify(check.errors));
}

describe('frames of the simulator through denoise, phase-sanitize, window and the network', () => {
  const people = [{ start: [1.5, 1.5], script: [{ activity: 'walk' as const, seconds: 14, speed: 1 }] }];
  const options = { seed: 7, rateHz: RATE, impairments: { ...IMPAIRMENTS, loss: [0, 0.1] as const } };
  let engine: Engine;
  beforeAll(async () => {
    engine = await Engine.load({ weights: packageFile(`${SHIPPED}/general`), backend: 'wasm' });
  });

  it("place a walker in the demo's flat, with and without an empty-room profile", async () => {
    const empty = new Chain();
    const learner = new ProfileLearner();
    for (const window of empty.windows(new Stage(empty.environment, { ...options, people: [] }), 4))
      learner.add(window);
    const profiles = learner.profiles();
    expect(Object.keys(profiles)).toEqual(empty.environment.links.map(({ id }) => id));

    const chain = new Chain();
    const stage = new Stage(chain.environment, { ...options, people });
    const windows = chain.windows(stage, 13);
    expect(windows.length).toBeGreaterThan(40);
    const { x, y } = chain.environment.size;
    const truth = windows.map(
      ({ start }) => stage.truth(Math.round(((start + 1e6 - ORIGIN) * RATE) / 1e6), ORIGIN)[0]!,
    );
    const middle = mean(truth.map(({ root }) => Math.hypot(root[0] - x / 2, root[1] - y / 2)));
    for (const known of [{ ...UNCALIBRATED, profiles }, UNCALIBRATED]) {
      const estimates = await engine.infer(windows.map((window) => requestOf(window, chain.links, known)!));
      const errors = estimates.map(({ alone: { root } }, i) =>
        Math.hypot(root[0] - truth[i]!.root[0], root[1] - truth[i]!.root[1]),
      );
      // The flat of this seed has many diffuse paths: it is harder than the rooms in the figures of the first
      // network.
      expect(mean(errors)).toBeLessThan(0.8);
      expect(mean(errors)).toBeLessThan(0.7 * middle);
    }
  });
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

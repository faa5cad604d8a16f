import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnySink, Context, Sink } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { definitionConformance, withDefaults, testWhere } from './definition.js';

/** What a sink writes to, for one test. */
export interface SinkBackend {
  /** Configuration of a sink that writes there. */
  readonly config: object;
  readonly context?: Partial<Context>;
  /** Identities of the stored records, as {@link SinkDriver.identity} gives them, in order. Called after a flush, the sink open or closed. */
  read(sink: Sink): Promise<readonly string[]>;
  close?(): Promise<void>;
}

export interface SinkDriver {
  readonly component: AnySink;
  /** Valid and placed nowhere: only its schema is looked at. */
  readonly config: object;
  readonly invalid?: readonly object[];
  /** A backend of its own; `folder` is removed afterwards. */
  readonly backend: (folder: string) => Promise<SinkBackend>;
  /** Record `index`, of all ports that the sink takes in turn; equal for equal numbers. */
  readonly record: (index: number) => Data;
  readonly identity: (data: Data) => string;
  /** It needs a real server: its tests are in test/services/, here is what its definition promises. */
  readonly server?: boolean;
  /** False for sinks that keep nothing once closed (live feeds, standard output). Default true. */
  readonly keeps?: boolean;
}

/** What every sink promises. */
export function sinkConformance(name: string, driver: SinkDriver): void {
  const { component, identity } = driver;
  const keeps = driver.keeps ?? true;

  describe(`sink ${name}`, () => {
    if (driver.server && !process.env['CSIFLOW_SERVICES']) {
      definitionConformance(component, driver.config, driver.invalid ?? []);
      return;
    }
    let folder: string;
    let backend: SinkBackend;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'csiflow-sink-'));
      backend = await driver.backend(folder);
    });
    afterEach(async () => {
      await backend.close?.();
      rmSync(folder, { recursive: true, force: true });
    });

    const make = (): Sink => {
      const { context } = testContext({ folder, stateFolder: folder, ...backend.context });
      return component.create(withDefaults(component, backend.config) as never, context);
    };
    const open = async (): Promise<Sink> => {
      const sink = make();
      await sink.open();
      return sink;
    };
    const records = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => driver.record(from + index));
    const names = (from: number, to: number) => records(from, to).map(identity);

    definitionConformance(component, driver.config, driver.invalid ?? []);

    test('what was written and flushed is there, in order', async () => {
      const sink = await open();
      expect(await sink.write(records(0, 1), 1)).toEqual([]);
      expect(await sink.write(records(1, 40), 1)).toEqual([]);
      await sink.flush();
      expect(sorted(await backend.read(sink))).toEqual(sorted(names(0, 40)));
      await sink.close();
    });

    test('an empty batch and a flush of nothing are fine', async () => {
      const sink = await open();
      expect(await sink.write([], 1)).toEqual([]);
      await sink.flush();
      await sink.flush();
      await sink.close();
    });

    test('it opens and closes again and again, and leaves nothing open', async () => {
      await (await open()).close();
      const before = process.getActiveResourcesInfo().length;
      for (let round = 0; round < 10; round++) await (await open()).close();
      expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 2);
    });

    test('a write after close is refused or fails; it does not crash or hang', async () => {
      const sink = await open();
      await sink.close();
      const outcome = await sink.write(records(0, 1), 1).then(
        (failed) => failed.length,
        (error: unknown) => error instanceof Error,
      );
      expect([0, 1, true]).toContain(outcome);
    });

    testWhere(keeps)('what was flushed survives closing and opening', async () => {
      const sink = await open();
      await sink.write(records(0, 10), 1);
      await sink.flush();
      await sink.close();
      const again = await open();
      await again.write(records(10, 15), 2);
      await again.flush();
      expect(sorted(await backend.read(again))).toEqual(sorted(names(0, 15)));
      await again.close();
    });

    testWhere(component.recovery === 'rewind')(
      'rewinding deletes later epochs and nothing else',
      async () => {
        const sink = await open();
        for (const epoch of [5, 6, 7]) await sink.write(records(epoch * 10, epoch * 10 + 10), epoch);
        await sink.flush();
        await sink.rewind!(6);
        expect(sorted(await backend.read(sink))).toEqual(sorted(names(50, 70)));
        await sink.write(records(70, 80), 7);
        await sink.flush();
        await sink.rewind!(7);
        expect(sorted(await backend.read(sink))).toEqual(sorted(names(50, 80)));
        await sink.close();
      },
    );

    testWhere(component.recovery === 'rewind')(
      'rewinding also takes what an earlier process flushed late',
      async () => {
        const sink = await open();
        await sink.write(records(0, 10), 1);
        await sink.write(records(10, 20), 2);
        await sink.flush();
        await sink.close();
        const again = await open();
        await again.rewind!(1);
        expect(sorted(await backend.read(again))).toEqual(sorted(names(0, 10)));
        await again.close();
      },
    );

    testWhere(component.recovery === 'idempotent')('a record written twice is there once', async () => {
      const sink = await open();
      await sink.write(records(0, 10), 1);
      await sink.write(records(5, 15), 2);
      await sink.flush();
      expect(sorted(await backend.read(sink))).toEqual(sorted(names(0, 15)));
      await sink.close();
    });

    test('it does not change what it is given', async () => {
      const sink = await open();
      const given = records(0, 10);
      const before = structuredClone(given);
      await sink.write(given, 1);
      await sink.flush();
      expect(given).toEqual(before);
      await sink.close();
    });
  });
}

const sorted = (texts: readonly string[]): string[] => [...texts].sort();

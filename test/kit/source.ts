import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  sliceRaw,
  type AnySource,
  type Context,
  type Position,
  type RawBatch,
  type Source,
  type SourceBatch,
} from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { conformance, kitCase, where, type KitCase } from './cases.js';
import { definitionCases, withDefaults } from './definition.js';
import { comparable, throughDisk } from './run-operator.js';

/** What a source reads, for one test. */
export interface SourceInput {
  /** Configuration of a source that reads it; of a replayable one, as fast as it goes. */
  readonly config: object;
  readonly context?: Partial<Context>;
  /** Of live sources: makes at least 20 records arrive, once the source is open. */
  send?(source: Source): Promise<void>;
  /** Of a replayable source whose input never ends: it has been read when nothing came for this time, milliseconds. */
  readonly quietMs?: number;
  close?(): Promise<void>;
}

export interface SourceDriver {
  readonly component: AnySource;
  readonly config: object;
  readonly invalid?: readonly object[];
  readonly input: (folder: string) => Promise<SourceInput>;
  /** It needs a real server: its tests are in test/services/, here is what its definition promises. */
  readonly server?: boolean;
}

/** What every source promises. */
export function sourceConformance(name: string, driver: SourceDriver): void {
  conformance(`source ${name}`, sourceCases(driver));
}

/** The same, to be run one by one. */
export function sourceCases(driver: SourceDriver): readonly KitCase[] {
  const { component } = driver;
  const definition = definitionCases(component, driver.config, driver.invalid ?? []);
  if (driver.server && !process.env['CSIFLOW_SERVICES']) return definition;
  let folder: string;
  let input: SourceInput;
  const within = (name: string, body: () => Promise<void> | void): KitCase =>
    kitCase(name, async () => {
      folder = mkdtempSync(join(tmpdir(), 'csiflow-source-'));
      input = await driver.input(folder);
      try {
        await body();
      } finally {
        await input.close?.();
        rmSync(folder, { recursive: true, force: true });
      }
    });

  const make = (): Source => {
    const { context } = testContext({ folder, stateFolder: folder, ...input.context });
    return component.create(withDefaults(component, input.config) as never, context);
  };

  /** Reads from a position until `enough` batches or the end; each is taken only after a turn, as by a full queue. */
  const read = async (
    position: Position,
    enough = Infinity,
  ): Promise<{ batches: SourceBatch[]; source: Source; waiting: number }> => {
    const source = make();
    const abort = new AbortController();
    const batches: SourceBatch[] = [];
    let under = 0;
    let waiting = 0;
    let last = Infinity;
    const opened = source.open(position, {
      signal: abort.signal,
      // The first batch may take longer.
      ready: () => {
        last = Date.now() + 2000;
      },
      offer: async (batch) => {
        last = Date.now();
        waiting = Math.max(waiting, ++under);
        await new Promise((resolve) => setImmediate(resolve));
        under--;
        if (batches.length < enough) batches.push(batch);
        if (batches.length >= enough) abort.abort();
        return !abort.signal.aborted;
      },
    });
    if (input.send) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await input.send(source);
      const deadline = Date.now() + 5000;
      while (count(batches) < 20 && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 5));
      abort.abort();
    }
    if (input.quietMs !== undefined) {
      while (!abort.signal.aborted && Date.now() - last < input.quietMs)
        await new Promise((resolve) => setTimeout(resolve, 20));
      abort.abort();
      await source.close?.();
    }
    await opened;
    return { batches, source, waiting };
  };

  return [
    ...definition,

    within(
      'it gives records, each batch with one kind of content and a position that survives the disk',
      async () => {
        const { batches, source } = await read(null);
        await source.close?.();
        expect(count(batches)).toBeGreaterThan(0);
        for (const { raw, data, position } of batches) {
          expect((raw === undefined) !== (data === undefined)).toBe(true);
          expect(throughDisk(position)).toEqual(position);
        }
      },
    ),

    within('arrival times never decrease', async () => {
      const { batches, source } = await read(null);
      await source.close?.();
      let last = -Infinity;
      for (const { raw } of batches) {
        for (const time of raw?.time.subarray(0, raw.count) ?? []) {
          expect(time).toBeGreaterThanOrEqual(last);
          last = time;
        }
      }
    }),

    within('it ends when it is told to, also before it began', async () => {
      const abort = new AbortController();
      const source = make();
      const opened = source.open(null, {
        signal: abort.signal,
        offer: () =>
          new Promise((resolve) => {
            abort.signal.addEventListener('abort', () => {
              resolve(false);
            });
          }),
      });
      setTimeout(() => {
        abort.abort();
      }, 30);
      await opened;
      await source.close?.();
      const again = make();
      await again.open(null, { signal: abort.signal, offer: () => true });
      await again.close?.();
    }),

    ...where(
      component.replayable,
      within('it waits for a full queue', async () => {
        const { waiting, source } = await read(null);
        await source.close?.();
        expect(waiting).toBe(1);
      }),
    ),

    ...where(
      component.replayable,
      within('it gives the same records when it is read again', async () => {
        const first = await read(null);
        const again = await read(null);
        expect(contents(again.source, again.batches)).toEqual(contents(first.source, first.batches));
      }),
    ),

    ...where(
      component.replayable,
      within('from the position of any batch it gives what follows that', async () => {
        const whole = await read(null);
        const all = contents(make(), whole.batches);
        const last = Math.min(whole.batches.length, 12);
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 1, max: last }), async (taken) => {
            const first = whole.batches.slice(0, taken);
            const rest = await read(throughDisk(first.at(-1)!.position));
            const decoder = make();
            const before = contents(decoder, first);
            const state = throughDisk(decoder.snapshot?.());
            const other = make();
            if (state !== undefined) other.restore?.(state);
            expect(sort([...before, ...contents(other, rest.batches)])).toEqual(all);
          }),
          { numRuns: 5 },
        );
      }),
    ),

    within('what it decodes does not depend on the size of batches', async () => {
      const { batches } = await read(null);
      const raws = batches.flatMap(({ raw }) => (raw ? [raw] : []));
      const whole = make();
      const one = make();
      const singles = raws.flatMap((raw) =>
        Array.from({ length: raw.count }, (_, index) => sliceRaw(raw, index, index + 1)),
      );
      expect(decoded(one, singles)).toEqual(decoded(whole, raws));
    }),

    within('random bytes do not make decode throw', () => {
      const source = make();
      if (!source.decode) return;
      fc.assert(
        fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (records) => {
          source.decode!(rawOf(records));
        }),
        { numRuns: 200 },
      );
    }),
  ];
}

const count = (batches: readonly SourceBatch[]): number =>
  batches.reduce(
    (sum, { raw, data }) =>
      sum +
      (raw?.count ?? 0) +
      (data ?? []).reduce((frames, record) => frames + (record.port === 'csi' ? record.count : 1), 0),
    0,
  );

const contents = (source: Source, batches: readonly SourceBatch[]): unknown[] =>
  sort(
    comparable(batches.flatMap(({ raw, data }): readonly Data[] => (raw ? source.decode!(raw).data : data!))),
  );

const decoded = (source: Source, raws: readonly RawBatch[]): unknown[] =>
  sort(comparable(raws.flatMap((raw) => source.decode!(raw).data)));

/** A batch may hold frames of several layouts, one block each: their order within the batch says nothing. */
const sort = (records: readonly unknown[]): unknown[] =>
  records
    .map((record) => ({ record, key: JSON.stringify(record) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ record }) => record);

function rawOf(records: readonly Uint8Array[]): RawBatch {
  const offsets = new Uint32Array(records.length + 1);
  records.forEach((record, index) => {
    offsets[index + 1] = offsets[index]! + record.length;
  });
  const bytes = new Uint8Array(offsets.at(-1)!);
  records.forEach((record, index) => {
    bytes.set(record, offsets[index]);
  });
  return {
    count: records.length,
    time: Float64Array.from(records, (_, index) => 1_700_000_000_000_000 + index),
    offsets,
    bytes,
    sender: new Uint16Array(records.length),
    senders: ['127.0.0.1:1'],
    origin: 'live',
  };
}

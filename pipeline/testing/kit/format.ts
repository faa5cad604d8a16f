import { deepEqual, equal, match, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { sliceRaw, type RawBatch } from '../../component/index.js';
import { type Decoder, type Format } from '../../formats/index.js';
import type { Data, Environment } from '../../model/index.js';
import { drawing, kitCase, type KitCase } from './cases.js';
import { testContext } from './context.js';
import { rawOf, type RawRecord } from './raw.js';
import { comparable, inAnyOrder, throughDisk } from './run-operator.js';

export interface FormatDriver {
  readonly format: Format;
  /** At least ten complete records, from senders of the environments. */
  readonly records: () => readonly RawRecord[];
  /** Default: the environment of {@link testContext}, whose senders are `node-1` and `node-2`. */
  readonly environments?: readonly Environment[];
}

/** Records of a driver, at least. */
const ENOUGH = 10;

/** How many failures a thousand bad records of one moment may return; the rest is counted. */
const FEW = 100;

/** The promises of every record format. */
export function formatCases(driver: FormatDriver): readonly KitCase[] {
  return promises.map(([name, body]) =>
    kitCase(name, () => {
      body(driver);
    }),
  );
}

type Promised = readonly [name: string, body: (driver: FormatDriver) => void];

const promises: readonly Promised[] = [
  ['it has a name in kebab-case and a summary', isDescribed],
  ['it recognises its records, and no random bytes', recognisesItsOwn],
  ['it decodes the same records to the same frames, at least one', repeats],
  ['one batch of N decodes like N batches of one', takesBatchesOfAnySize],
  ['a snapshot at any point, restored, continues as if it had never stopped', goesOnFromSnapshots],
  ['a clock tick is not a record', skipsTicks],
  ['damaged records do not make it throw, and good ones after them are read', outlivesDamage],
  ['it returns only a few of many bad records', boundsItsFailures],
];

const make = ({ format, environments }: FormatDriver): Decoder =>
  format.decoder(testContext(environments ? { environments } : {}).context);

const framesOf = (decoder: Decoder, raws: readonly RawBatch[]): unknown[] =>
  inAnyOrder(comparable(raws.flatMap((raw): readonly Data[] => decoder.decode(raw).data)));

const countFrames = (decoder: Decoder, raw: RawBatch): number =>
  decoder.decode(raw).data.reduce((sum, data) => sum + (data.port === 'csi' ? data.count : 1), 0);

const singles = (raw: RawBatch): RawBatch[] =>
  Array.from({ length: raw.count }, (_, index) => sliceRaw(raw, index, index + 1));

function isDescribed({ format }: FormatDriver): void {
  match(format.name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
  match(format.summary, /\.$/, 'its summary is a sentence');
}

function recognisesItsOwn({ format, records }: FormatDriver): void {
  for (const [index, { bytes }] of records().entries())
    ok(format.recognise(bytes), `it does not recognise record ${index}`);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 400 }), (bytes) => {
      ok(!format.recognise(bytes), 'it recognises random bytes');
    }),
    drawing(200),
  );
}

function repeats(driver: FormatDriver): void {
  const records = driver.records();
  ok(records.length >= ENOUGH, `the driver has ${records.length} records, and needs at least ${ENOUGH}`);
  const raw = rawOf(records);
  const first = framesOf(make(driver), [raw]);
  ok(first.length > 0, "it decodes none of the driver's records");
  deepEqual(framesOf(make(driver), [raw]), first);
}

function takesBatchesOfAnySize(driver: FormatDriver): void {
  const raw = rawOf(driver.records());
  deepEqual(framesOf(make(driver), singles(raw)), framesOf(make(driver), [raw]));
}

function goesOnFromSnapshots(driver: FormatDriver): void {
  const raws = singles(rawOf(driver.records()));
  const unbroken = make(driver);
  const whole = framesOf(unbroken, raws);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: raws.length }), (at) => {
      const before = make(driver);
      const first = framesOf(before, raws.slice(0, at));
      const after = make(driver);
      after.restore(throughDisk(before.snapshot()));
      deepEqual(inAnyOrder([...first, ...framesOf(after, raws.slice(at))]), whole);
      deepEqual(throughDisk(after.snapshot()), throughDisk(unbroken.snapshot()));
    }),
    drawing(10),
  );
}

function skipsTicks(driver: FormatDriver): void {
  const decoder = make(driver);
  const { data, failed = [] } = decoder.decode(rawOf([{ bytes: new Uint8Array(0), sender: '' }]));
  deepEqual([...data, ...failed], []);
}

function outlivesDamage(driver: FormatDriver): void {
  const good = driver.records();
  const whole = rawOf(good);
  const unharmed = make(driver);
  const frames = countFrames(unharmed, whole);
  const againFrames = countFrames(unharmed, whole);
  fc.assert(
    fc.property(
      fc.nat(good.length - 1),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(255),
      (at, where, by) => {
        const bytes = Uint8Array.from(good[at]!.bytes);
        const index = Math.floor(where * (bytes.length - 1));
        bytes[index] = bytes[index]! ^ by;
        const damaged = rawOf([
          { ...good[at]!, bytes },
          { ...good[at]!, bytes: bytes.subarray(0, index) },
        ]);
        const decoder = make(driver);
        decoder.decode(damaged);
        const first = countFrames(decoder, whole);
        ok(first >= frames, `${first} of ${frames} frames are read after damaged records`);
        // A format that waits for the rest of a frame may hold back what came before: it is out once these are repeated.
        if (first > frames) equal(countFrames(decoder, whole), againFrames);
        decoder.decode(damaged);
        const later = countFrames(decoder, whole);
        // One that is put together from several records may lose the part that the damage replaced.
        ok(
          later >= againFrames - 1,
          `${later} of ${againFrames} frames are read after damage among good records`,
        );
      },
    ),
    drawing(100),
  );
}

function boundsItsFailures(driver: FormatDriver): void {
  const [first] = driver.records();
  const cut = { ...first!, time: 1e15, bytes: first!.bytes.subarray(0, first!.bytes.length >> 1) };
  const { failed = [] } = make(driver).decode(rawOf(Array.from({ length: 1000 }, () => cut)));
  ok(failed.length > 0, 'half a record is not reported as a failure');
  ok(failed.length <= FEW, `${failed.length} of 1000 failures are returned`);
  for (const { code } of failed) match(code, /^decode\./);
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Value } from 'typebox/value';
import { amplitudeAt } from '../../operators/shared/amplitude.js';
import { mean } from '../../operators/shared/mean.js';
import { quantile } from '../../operators/shared/median.js';
import type { Data, Window, WindowLink } from '../../pipeline/model/index.js';
import { file } from '../../pipeline/sources/file/file.js';
import { DEVICES } from '../../pipeline/sources/simulator/devices.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import { randomEnvironment, recordedEnvironment } from '../accuracy/chain/rooms.js';
import { espFrames } from '../accuracy/cleaning/frames.js';
import { offlineContext, WindowChain } from '../falls/chain.js';
import { playWindows } from '../falls/play-windows.js';

/**
 * Compares how much people change a channel in recordings of real rooms and in the simulator, behind the shipped
 * operators up to `window`: the mean square change of the amplitudes within 0.2 s, as shares of their mean in seven
 * bands, so that the gain of the receiver cancels.
 */

const { values } = parseArgs({
  options: {
    /** Folder with captures/ and labelled/. */
    data: { type: 'string' },
    rooms: { type: 'string', default: '20' },
    /** The first simulated room; reports use others. */
    seed: { type: 'string', default: '748500' },
  },
});
if (values.data === undefined) throw new Error('usage: README.md beside this file');

const LAG_US = 200_000;
const BANDS = 7;
/** Carriers with less than this share of the amplitude of strong ones carry nothing. */
const CARRIES = 0.35;
/** At most so many recordings of a group, spread over its files. */
const MOST = 10;
const WALK_S = 40;
const RATE_HZ = 50;
/** As in recordings of ESP32s: the noise of weaker links would hide small changes. */
const SNR_DB = [29, 34] as const;

/** Mean square changes of a window's links and antennas. */
function changesOf(window: Window): number[] {
  return window.links.flatMap((link) =>
    Array.from({ length: link.rx * link.tx }, (_, antenna) => changeOf(window, link, antenna)).filter(
      Number.isFinite,
    ),
  );
}

function changeOf({ points, step }: Window, link: WindowLink, antenna: number): number {
  const lag = Math.round(LAG_US / step);
  const rows = Array.from({ length: points }, (_, point) => amplitudesOf(link, point, antenna));
  const strong = carriersOf(rows);
  const shapes = rows.map((row) => shapeOf(strong.map((carrier) => row[carrier]!)));
  let [sum, count] = [0, 0];
  for (let point = lag; point < points; point++) {
    if (link.gaps[point] !== 0 || link.gaps[point - lag] !== 0) continue;
    const before = shapes[point - lag]!;
    sum += shapes[point]!.reduce((all, value, band) => all + (value - before[band]!) ** 2, 0) / BANDS;
    count++;
  }
  return sum / count;
}

function amplitudesOf({ values: csi, rx, tx, subcarriers }: WindowLink, point: number, antenna: number) {
  const at = (point * rx * tx + antenna) * subcarriers.length * 2;
  return Float64Array.from(subcarriers, (_, carrier) => amplitudeAt(csi, at + 2 * carrier));
}

function carriersOf(rows: readonly Float64Array[]): number[] {
  const mean = Array.from(rows[0]!, (_, carrier) => rows.reduce((sum, row) => sum + row[carrier]!, 0));
  const strong = quantile(mean, 0.9);
  return Array.from(mean.keys()).filter((carrier) => mean[carrier]! > CARRIES * strong);
}

/** The amplitudes in bands, as multiples of their mean. */
function shapeOf(row: readonly number[]): number[] {
  const edge = (band: number): number => Math.round((band * row.length) / BANDS);
  const bands = Array.from({ length: BANDS }, (_, band) => mean(row.slice(edge(band), edge(band + 1))));
  const all = mean(bands);
  return bands.map((value) => value / all);
}

/** Changes in the windows of a stream that do not overlap. */
class Collector {
  readonly changes: number[] = [];
  #end = -Infinity;

  take(windows: readonly Window[]): void {
    for (const window of windows) {
      if (window.start < this.#end) continue;
      this.#end = window.start + window.points * window.step;
      this.changes.push(...changesOf(window));
    }
  }
}

async function recorded(path: string): Promise<number[]> {
  const environment = recordedEnvironment();
  const chain = new WindowChain(environment);
  const collector = new Collector();
  const take = (data: readonly Data[]): void => {
    for (const one of data) if (one.port === 'csi' && one.count > 0) collector.take(chain.take(one));
  };
  if (path.endsWith('.npz')) take([espFrames(path)]);
  else {
    const source = file.create(
      Value.Default(file.config, { path, speed: 0 }) as never,
      offlineContext(environment),
    );
    await source.open(null, {
      signal: new AbortController().signal,
      offer: ({ raw, data }) => {
        take(raw ? source.decode!(raw).data : (data ?? []));
        return true;
      },
    });
    await source.close?.();
  }
  collector.take(chain.end());
  return collector.changes;
}

function simulated(seed: number, device: keyof typeof DEVICES, echoDb: number): number[] {
  const environment = randomEnvironment(seed, 4);
  const stage = new Stage(environment, {
    ...{ seed, rateHz: RATE_HZ, layout: DEVICES[device], echoDb },
    impairments: { ...IMPAIRMENTS, snrDb: SNR_DB },
    people: [{ script: [{ activity: 'walk', seconds: WALK_S }] }],
  });
  const collector = new Collector();
  playWindows({ environment, stage, rateHz: RATE_HZ }, WALK_S, (window) => {
    collector.take([window]);
  });
  return collector.changes;
}

/** Some of the files of a folder of the data whose names fit. */
function filesIn(folder: string, pattern: RegExp): string[] {
  const names = readdirSync(join(values.data!, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .sort();
  const apart = Math.max(1, names.length / MOST);
  return Array.from({ length: Math.min(MOST, names.length) }, (_, i) =>
    join(values.data!, folder, names[Math.floor(i * apart)]!),
  );
}

const RECORDINGS = [
  { name: 'ESP32 on a serial port', folder: 'captures/esp32-serial', moving: /motion/, still: /still/ },
  { name: 'ESP32, C3 and S3', folder: 'labelled/esp32-presence', moving: /movement/, still: /baseline/ },
  {
    ...{ name: 'Intel 5300, bedroom', folder: 'labelled/falls-intel5300-bedroom' },
    ...{ moving: /^walk\//, still: /^(lying|sitting)\// },
  },
  {
    ...{ name: 'Nexmon, room 1', folder: 'labelled/falls-nexmon-pcap' },
    ...{ moving: /^walking.*rm1\//, still: /^nm_.*rm1\// },
  },
  {
    ...{ name: 'Nexmon, room 3', folder: 'labelled/falls-nexmon-pcap' },
    ...{ moving: /^walking.*rm3\//, still: /^nm_.*rm3\// },
  },
] as const;

const decibels = (power: number): string => (10 * Math.log10(power)).toFixed(0);
const spreadOf = (changes: readonly number[]): string =>
  [0.5, 0.1, 0.9].map((share) => decibels(quantile(changes, share))).join(' | ');
const print = (line: string): void => void process.stdout.write(`${line}\n`);

print('| | recordings or rooms | somebody moves: median | 10 % | 90 % | still: median |');
print('| --- | --- | --- | --- | --- | --- |');
for (const { name, folder, moving, still } of RECORDINGS) {
  const of = async (paths: readonly string[]): Promise<number[]> =>
    (await Promise.all(paths.map(recorded))).flat();
  const files = filesIn(folder, moving);
  const rest = decibels(quantile(await of(filesIn(folder, still)), 0.5));
  print(`| ${name} | ${files.length} | ${spreadOf(await of(files))} | ${rest} |`);
}
for (const device of ['esp32', 'intel-5300'] as const) {
  for (const echoDb of [0, 6, 12]) {
    const seeds = Array.from({ length: Number(values.rooms) }, (_, room) => Number(values.seed) + room);
    const changes = seeds.flatMap((seed) => simulated(seed, device, echoDb));
    print(`| simulated, ${device}, \`echo_db: ${echoDb}\` | ${seeds.length} | ${spreadOf(changes)} | |`);
  }
}

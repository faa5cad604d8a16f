import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../../pipeline/base/input-error.js';
import { esp32Serial, esp32SerialLog } from '../../../pipeline/formats/devices/espressif/esp32-serial.js';
import type { Example } from '../networks/dense.js';
import { readNumpy, readRecording, type Recording } from './recordings.js';
import { Room, type Candidate } from '../motion/room.js';
import { RATE_HZ } from '../motion/tracks.js';

/** A candidate of the recordings that weights may be trained on. */
export interface LabelledExample extends Example {
  /** The log that contains it: `fall_01`, `motion`, `D1/e01_rx_tx`. */
  readonly log: string;
  /** Seconds from the start of the log. */
  readonly time: number;
}

/** The recordings that weights may be trained on, with their licences. */
export const SETS = [
  { data: 'wifi_csi (ESP32-S3): six falls, motion, still', licence: 'MIT', folder: 'captures/esp32-serial' },
  {
    data: 'stability-csi-har (ESP32): sitting, standing up, walking, turning',
    licence: 'Apache-2.0',
    folder: 'labelled/esp32-continuous',
  },
] as const;

const FALL_LOGS = ['fall_01', 'fall_02', 'fall_03', 'fall_04', 'fall_05', 'fall_06'];
const OTHER_LOGS = ['still', 'motion'];

/** All candidates of a recording, played to a room that starts with it. */
export function play(room: Room, recording: Recording): Candidate[] {
  const { antennas, subcarriers, samples, amplitudes, gaps } = recording;
  const found: Candidate[] = [];
  room.restart(0);
  for (let n = 0; n < samples; n++) {
    const at = n * antennas * subcarriers;
    const burst = room.push([{ id: 'link', antennas, subcarriers, amplitudes, at, gap: gaps[n] === 1 }]);
    if (burst && burst.views.length > 0) found.push(burst);
  }
  return found;
}

/** A log of captures/esp32-serial under the folder `data`. */
const readSerialLog = (data: string, log: string): Recording =>
  readRecording(join(data, SETS[0].folder, `${log}.txt.gz`), esp32SerialLog, esp32Serial);

/** The problem with the folder `data` if one of these folders is missing, and how to fix it. */
export function missingFolder(data: string): string | undefined {
  const missing = SETS.map(({ folder }) => folder).find((folder) => !existsSync(join(data, folder)));
  return (
    missing &&
    `${join(data, missing)} does not exist: set --data to the folder that contains ${missing}; decision 0129 of csiflow names the source of the recordings`
  );
}

/**
 * Candidates of all recordings that may be trained on. A log of a fall has one fall: its strongest candidate;
 * all others are other motion. Each room's noise floors are first learnt from all its logs.
 * @throws Error if the folder is missing.
 */
export function readMaterial(data: string): LabelledExample[] {
  const missing = missingFolder(data);
  if (missing !== undefined) throw new InputError(missing);
  const serial = [...OTHER_LOGS, ...FALL_LOGS].map((log) => ({ log, recording: readSerialLog(data, log) }));
  return [serial, ...['D1', 'D2'].map((room) => continuous(data, room))].flatMap((logs) =>
    examplesOf(logs, ({ log }) => FALL_LOGS.includes(log)),
  );
}

/** A recording of one room. */
export interface Log {
  readonly log: string;
  readonly recording: Recording;
}

function continuous(data: string, room: string): Log[] {
  const folder = join(data, SETS[1].folder, room);
  return readdirSync(folder)
    .filter((file) => file.endsWith('-x.npy.gz'))
    .sort()
    .map((file) => ({
      log: `${room}/${file.replace('-x.npy.gz', '')}`,
      recording: readNumpy(join(folder, file), 100),
    }));
}

/**
 * Each antenna's view of each candidate of a room's logs, after its noise floors have been learnt from all of
 * them. The strongest candidate of a log with a fall is the fall.
 */
export function examplesOf(logs: readonly Log[], hasFall: (log: Log) => boolean): LabelledExample[] {
  const room = new Room();
  for (const { recording } of logs) play(room, recording);
  return logs.flatMap((one) => {
    const candidates = play(room, one.recording);
    const strongest = candidates.reduce<Candidate | null>(
      (a, b) => (a && peakOf(a) >= peakOf(b) ? a : b),
      null,
    );
    return candidates.flatMap((candidate) =>
      candidate.views.map(({ features }) => ({
        log: one.log,
        time: candidate.sample / RATE_HZ,
        inputs: features,
        positive: hasFall(one) && candidate === strongest,
      })),
    );
  });
}

/** Mean of the antennas. */
const peakOf = ({ views }: Candidate): number =>
  views.reduce((sum, { peak }) => sum + peak, 0) / views.length;

import { existsSync } from 'node:fs';
import { replaceFile } from '../../../pipeline/base/files.js';
import type { Environment } from '../../../pipeline/model/index.js';
import { readJsonFile } from '../../shared/json-file.js';
import { PROFILE_VERSION } from '../inputs/features.js';
import { GROUPS } from '../inputs/grid.js';

/** Empty-room profile by link id: mean log-amplitude of each of the 13 bands. */
export type Profiles = Readonly<Record<string, readonly number[]>>;

/** By how many decibels people in a room change its channels more than those in training, by its environment's id. */
export type Echoes = Readonly<Record<string, number>>;

/** What is known of rooms before anybody is inferred in them. */
export interface RoomCalibration {
  readonly profiles: Profiles;
  readonly echoes: Echoes;
}

export const UNCALIBRATED: RoomCalibration = { profiles: {}, echoes: {} };

/**
 * Reads a calibration: `{"features": 1, "profiles": {"link-1": [13 numbers], ...}, "echoes": {"ward-3": 9.5}}`.
 * Without `echoes`, nobody has walked for it.
 * @throws Error with the file's name and the problem.
 */
export function readCalibration(file: string): RoomCalibration {
  if (!existsSync(file))
    throw new Error(
      `The calibration ${file} does not exist. Remove the field \`calibration\` to run without one.`,
    );
  const content = objectOf(readJsonFile(file));
  if (content === null)
    throw new Error(`${file}: the content must be an object, as \`csiflow calibrate\` writes it.`);
  if (content['features'] !== PROFILE_VERSION) {
    throw new Error(
      `${file}: "features" must be ${PROFILE_VERSION}, the version that this csiflow computes.`,
    );
  }
  const profiles = objectOf(content['profiles']);
  if (profiles === null) throw new Error(`${file}: "profiles" must be an object with a list for each link.`);
  for (const [link, profile] of Object.entries(profiles)) {
    if (!Array.isArray(profile) || profile.length !== GROUPS || !profile.every(Number.isFinite)) {
      throw new Error(`${file}: the profile of link ${link} must be a list of ${GROUPS} numbers.`);
    }
  }
  const echoes = objectOf(content['echoes'] ?? {});
  if (echoes === null)
    throw new Error(`${file}: "echoes" must be an object with a number for each environment.`);
  for (const [environment, echo] of Object.entries(echoes)) {
    if (!Number.isFinite(echo)) throw new Error(`${file}: the echo of ${environment} must be a number.`);
  }
  return { profiles: profiles as Profiles, echoes: echoes as Echoes };
}

/** What {@link writeCalibration} writes of its own. */
const OWN: readonly string[] = ['features', 'profiles', 'echoes'];

/** The parts of a calibration file that other operators read, such as the links of `calibrate`. */
export const partsOfOthers = (content: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !OWN.includes(name)));

/**
 * What a file knows of rooms: nothing if it does not exist, or only has parts of others.
 * @throws Error as from {@link readCalibration}
 */
export function knownIn(file: string): RoomCalibration {
  if (!existsSync(file)) return UNCALIBRATED;
  const content = objectOf(readJsonFile(file));
  const isOfOthers = content !== null && OWN.every((name) => content[name] === undefined);
  return isOfOthers ? UNCALIBRATED : readCalibration(file);
}

/** Whether the empty room of an environment is known: the profile of any of its links. */
export const knowsEmpty = (known: RoomCalibration, { links }: Pick<Environment, 'links'>): boolean =>
  links.some(({ id }) => profileIn(known, id) !== null);

/** Changes are reduced by at most this much, dB: more was not measured. */
export const MOST_REDUCED_DB = 15;

/**
 * Measured echoes up to the first may be chance: 0 dB is measured as 2 dB with a standard deviation of 2.3 dB. From the
 * second on, all of it counts.
 */
const UNSURE_DB = { from: 5, to: 10 };

/**
 * By how many decibels changes are reduced for a measured echo. Somebody weakened too much is taken for a pet, which is
 * worse than one person who counts as two.
 */
export function reductionOf(echoDb: number): number {
  const { from, to } = UNSURE_DB;
  const counting = echoDb < to ? (to * Math.max(0, echoDb - from)) / (to - from) : echoDb;
  return Math.min(MOST_REDUCED_DB, Math.round(10 * counting) / 10);
}

/** By how many decibels the changes of an environment's channels are reduced. */
export const reducedBy = ({ echoes }: RoomCalibration, environment: string): number =>
  reductionOf(ownOf(echoes, environment) ?? 0);

/** The profile of a link in the empty room; null if it was not measured. */
export const profileIn = ({ profiles }: RoomCalibration, link: string): readonly number[] | null =>
  ownOf(profiles, link) ?? null;

/** Ids may be `constructor`, which all objects have. */
const ownOf = <T>(record: Readonly<Record<string, T>>, id: string): T | undefined =>
  Object.hasOwn(record, id) ? record[id] : undefined;

const objectOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

/** @param beside other operators' parts of the same calibration */
export function writeCalibration(
  file: string,
  { profiles, echoes }: RoomCalibration,
  beside: object = {},
): void {
  const known = Object.keys(echoes).length === 0 ? {} : { echoes };
  replaceFile(
    file,
    `${JSON.stringify({ features: PROFILE_VERSION, profiles, ...known, ...beside }, null, 2)}\n`,
  );
}

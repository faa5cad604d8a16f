import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { environmentSchema, topologySchema } from '../../../pipeline/config/index.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { components } from '../../components.js';
import { numberOption, udpAddress } from './address.js';
import { notMade, nothingArrived, thereAlready } from './errors.js';
import { faultText } from './fault-text.js';
import { firstEnvironment, firstTopology, SCHEMA_FILES, type Found } from './first-topology.js';
import { lookAtUdp, lookIntoFile, summaryOf, type Look } from './look.js';
import { rowsHeard } from './nexmon-rows.js';
import { CaptureWriter } from './capture-writer.js';
import { tableOption } from './table.js';

/** Options of `csiflow init`. */
export interface FirstOptions {
  readonly folder: string;
  readonly seconds: string;
  readonly format: string;
  readonly kind: string;
  /** Mapping of the arrays in a file, as YAML. */
  readonly table?: string;
  readonly force: boolean;
}

/** The result of a recording for a first topology, which plays it. */
export async function fromFile(path: string, options: FirstOptions): Promise<Found> {
  const { folder, kind, format } = options;
  const table = tableOption(options.table);
  const reading = { kind, format, table };
  const single = await lookIntoFile(path, reading);
  const nexmon = rowsHeard(single.summary);
  const look = nexmon ? await lookIntoFile(path, { ...reading, options: { nexmon } }) : single;
  // The topology would end with the same error each time.
  if (look.damage) throw look.damage;
  heardOrNot(look, path, 'contains no frame that csiflow can read');
  const within = relative(resolve(folder), resolve(path));
  const capture = within.startsWith('..') || isAbsolute(within) ? resolve(path) : within;
  const named = {
    ...(kind !== 'auto' && { format: kind }),
    ...(format !== 'auto' && { records: format }),
    ...(table && { table }),
    ...(nexmon && { nexmon }),
  };
  const source = { type: 'file', path: capture, ...named, speed: 1 };
  return { ...look, what: path, id: idOf(basename(path)), source, capture };
}

/** The input of a port, stored as a capture for the test. */
export async function fromUdp(what: string, options: FirstOptions): Promise<Found> {
  const { folder, seconds, format, force } = options;
  if (options.table !== undefined)
    throw new CommandError(`--table is for files of arrays, not for ${what}`, EXIT.invalid);
  const address = udpAddress(what);
  const single = await lookAtUdp(address, format, numberOption('seconds', seconds, 0.001));
  const nexmon = rowsHeard(single.summary);
  const look = nexmon ? { ...single, ...summaryOf(single.format, single.batches, { nexmon }) } : single;
  if (look.summary.records === 0)
    throw new CommandError(nothingArrived(what, 'nothing was written'), EXIT.failed);
  heardOrNot(look, what, 'receives no frame that csiflow can read');
  await mkdir(folder, { recursive: true });
  const path = join(folder, SAMPLE);
  const created = new Date().toISOString();
  const meta = { format: look.format, origin: 'replay' as const, created, source: what };
  const writer = await CaptureWriter.create(path, meta, force).catch((error: unknown) => {
    throw notMade(error, path, 'another --folder');
  });
  try {
    for (const raw of look.batches) await writer.write(raw);
  } finally {
    await writer.close();
  }
  const source = { type: 'udp', ...address, format: look.format, ...(nexmon && { nexmon }) };
  return { ...look, what, id: `udp-${address.port}`, source, capture: SAMPLE };
}

const SAMPLE = 'sample.csi';

function heardOrNot({ summary: { senders, faults } }: Look, what: string, why: string): void {
  if (senders.length > 0) return;
  const [fault] = faults;
  const more = fault ? faultText(fault) : 'run `csiflow inspect` to see its contents';
  throw new CommandError(`${what} ${why}; ${more}`, EXIT.invalid);
}

/** A name with letters, digits and hyphens, from a file's name. */
function idOf(name: string): string {
  const words = name
    .replace(/\..*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return /^[a-z]/.test(words) ? words : `recording-${words}`.replace(/-$/, '');
}

const TOPOLOGY = 'topology.yaml';

/** Writes the topology again; everything else stays. */
export const rewriteTopology = (found: Found, folder: string): Promise<void> =>
  writeFile(join(folder, TOPOLOGY), firstTopology(found));

/** @throws CommandError if the folder already has a topology or an environment that may not be overwritten */
export function refuseExisting({ folder, force }: FirstOptions): void {
  for (const name of force ? [] : [TOPOLOGY, 'room.yaml']) {
    const path = join(folder, name);
    if (existsSync(path)) throw thereAlready(path, 'another --folder');
  }
}

/**
 * Writes the files; returns the paths of those that were written. A schema that is already there is left alone: it
 * may include the user's own components.
 */
export async function writeFirst(found: Found, { folder, force }: FirstOptions): Promise<readonly string[]> {
  const texts = {
    [TOPOLOGY]: firstTopology(found),
    'room.yaml': firstEnvironment(found),
  };
  const schemas = {
    [SCHEMA_FILES.topology]: JSON.stringify(topologySchema(components)),
    [SCHEMA_FILES.environment]: JSON.stringify(environmentSchema()),
  };
  await mkdir(folder, { recursive: true });
  const missing = Object.entries(schemas).filter(([name]) => force || !existsSync(join(folder, name)));
  return Promise.all(
    [...Object.entries(texts), ...missing].map(async ([name, text]) => {
      const path = join(folder, name);
      await writeFile(path, text, { flag: force ? 'w' : 'wx' }).catch((error: unknown) => {
        throw notMade(error, path, 'another --folder');
      });
      return path;
    }),
  );
}

import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { expect } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { exportTable } from '../../sinks/duckdb/export.js';
import { Csiflow } from '../support/csiflow.js';
import { sharedFile } from '../support/shared.js';

/** 120 s of two ESP32-S3 nodes: 5,309 raw frames, 236 vitals and 236 feature packets. */
export const recording = sharedFile('captures/adr018/pretrain-1775182186.csi.jsonl');
export const RAW_FRAMES = 5_309;

/** Writes its first lines into a separate file, and returns that file. */
export async function beginning(folder: string, lines: number): Promise<string> {
  const file = join(folder, 'beginning.csi.jsonl');
  const all = (await readFile(recording!, 'utf8')).split('\n');
  await writeFile(file, `${all.slice(0, lines).join('\n')}\n`);
  return file;
}

/** Details of the source from the topology's status. */
export async function sourceDetails({ address, token }: UdpRun): Promise<unknown> {
  const response = await fetch(`${address}/form-b/api/v1/topologies/esp32-udp`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { data } = (await response.json()) as { data: { nodes: { id: string; details: unknown }[] } };
  return data.nodes.find(({ id }) => id === 'routers')!.details;
}

/** Runs the recording through the file source in a separate folder. Returns the path of its database. */
export async function runAtSpeed(data: string, speed: number): Promise<string> {
  const folder = await mkdtemp(join(data, 'speed-'));
  const topology = join(folder, 'replay.yaml');
  await writeFile(topology, replayTopology(speed));
  const run = new Csiflow(['run', topology, '--no-api', '--until-end']);
  expect(await run.ended(), run.output).toBe(0);
  return join(folder, 'out.duckdb');
}

/**
 * All rows of a database as text, without the epoch and the network's own time, which may differ between
 * runs.
 */
export function storedRows(path: string): Promise<string> {
  return withDatabase(path, async (connection) => {
    const parts: string[] = [];
    for (const table of ['poses', 'persons', 'events', 'measures']) {
      const times = table === 'poses' ? 'epoch, processing_ms' : 'epoch';
      const rows = await connection.runAndReadAll(`select * exclude (${times}) from ${table} order by all`);
      parts.push(table, JSON.stringify(rows.getRowsJson()));
    }
    return parts.join('\n');
  });
}

/**
 * Sorted lines of the files beside a database, and the bytes of its Parquet files and exports: everything
 * that other programs read.
 */
export async function writtenFiles(path: string): Promise<Readonly<Record<string, string>>> {
  const folder = dirname(path);
  for (const table of ['poses', 'persons', 'events', 'measures', 'keypoints'] as const)
    for (const format of ['parquet', 'ndjson'] as const) {
      const to = join(folder, `export-${table}.${format}`);
      await exportTable({ from: path, to, table, format, start: undefined, end: undefined });
    }
  const names = (await readdir(folder)).filter((name) => /\.(ndjson|parquet)$/.test(name)).sort();
  const contents = names.map(async (name) => {
    const bytes = await readFile(join(folder, name));
    const sorted = name.startsWith('lines') ? bytes.toString().split('\n').sort().join('\n') : bytes;
    return [name, createHash('sha256').update(sorted).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}

/** First column of the first row, as a number. */
export const numberOf = (path: string, sql: string): Promise<number> =>
  withDatabase(path, async (connection) => Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0]));

/** First column of all rows, as text. */
export const textsOf = (path: string, sql: string): Promise<string[]> =>
  withDatabase(path, async (connection) =>
    (await connection.runAndReadAll(sql)).getRows().map(([first]) => String(first)),
  );

async function withDatabase<T>(path: string, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const database = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await database.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}

const replayTopology = (speed: number): string => `
id: replay
environment: ${packageFile('topologies/environments/esp32-pair.yaml')}
sources:
  routers: { type: file, path: ${recording ?? ''}, speed: ${speed} }
operators:
  gain: { type: normalize-gain, from: routers, method: steps }
  clean: { type: denoise, from: gain }
  phase: { type: phase-sanitize, from: clean }
  windows: { type: window, from: phase, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
  poses: { type: infer-pose, from: windows }
  people: { type: track-persons, from: poses }
  falls: { type: detect-falls, from: [windows, people] }
sinks:
  history: { type: duckdb, from: [routers, motion, people, falls], path: out.duckdb }
  lines: { type: file, from: [routers, motion, people, falls], path: lines.ndjson }
  parquet: { type: file, from: [routers, motion, people, falls], path: out.parquet, format: parquet }
`;

/** A running csiflow of `topologies/esp32-udp.yaml` with the API, logged in. */
export interface UdpRun {
  readonly run: Csiflow;
  readonly port: number;
  readonly address: string;
  readonly token: string;
  readonly database: string;
}

export async function startUdp(data: string): Promise<UdpRun> {
  const port = await freePort();
  const env = { CSIFLOW_DATA: data, CSIFLOW_UDP_PORT: String(port) };
  const run = new Csiflow(['run', await patientTopology(data), '--port', '0'], { env });
  const [, password] = await run.printed(/admin \/ (\S+)/);
  const [, address] = await run.printed(/live page +(http:\/\/[\d.:]+)/);
  await run.printed(/is running/);
  const token = await logIn(address!, password!);
  return { run, port, address: address!, token, database: join(data, 'esp32-udp.duckdb') };
}

/**
 * The shipped topology with lateness allowed for a busy machine: frames are counted here, so none may be
 * dropped.
 */
async function patientTopology(data: string): Promise<string> {
  const file = join(data, 'esp32-udp.yaml');
  const text = await readFile(packageFile('topologies/esp32-udp.yaml'), 'utf8');
  const environment = packageFile('topologies/environments/esp32-pair.yaml');
  await writeFile(
    file,
    text
      .replace('environments/esp32-pair.yaml', environment)
      .replace(/^settings:$/m, 'settings:\n  max_lag_ms: null'),
  );
  return file;
}

export async function logIn(address: string, password: string): Promise<string> {
  const response = await fetch(`${address}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => {
    socket.close(() => {
      resolve();
    });
  });
  return port;
}

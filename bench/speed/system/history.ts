import { loadavg } from 'node:os';
import { join } from 'node:path';
import { duckdb } from '../../../sinks/duckdb/duckdb.js';
import { openSink } from '../../shared/context.js';
import { fillWithPoses, HOP, PEOPLE } from '../pose-rows.js';
import { sendFrom, Service } from './service.js';
import { makeSite } from './site.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { milliseconds } from '../../shared/timed.js';

/** Milliseconds from the request to the last byte of the response. */
export interface PageTimes {
  readonly page: string;
  /** The first call, which also counts the total. */
  readonly first: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export interface HistoryFigures {
  readonly persons: number;
  readonly atRest: readonly PageTimes[];
  /** The same while frames arrive and results are committed. */
  readonly whileWriting: readonly PageTimes[];
  /** Aggregates over everything, by POST /pose/query; the first call, since the second one is cached. */
  readonly query: number;
  readonly load: number;
}

const [PAGE, CALLS, FRAMES_PER_SECOND] = [100, 200, 500];
/** Frames per call in Form A, so that the walk to page 1,000 is short. */
const STRIDE = 1_000;
const WALKED = 999 * PAGE;
const FORM_A = '/form-a/api/v1/pose/history';
const FORM_B = '/form-b/api/v1/pose/history';

/**
 * Requests pages of history from a running csiflow over a DuckDB store of this many stored persons, two per
 * frame. The last cursor is that of a query of the last frames: to walk there takes a thousand times a
 * thousand calls, and the cost of a cursor does not depend on what precedes it.
 */
export async function historySpeed(
  persons: number,
  progress: (line: string) => void = () => undefined,
): Promise<HistoryFigures> {
  const load = loadavg()[0]!;
  const site = await makeSite({ rooms: 1, chain: 'motion', unlimited: true });
  try {
    progress(`fills a store with ${persons} persons`);
    await openSink(duckdb, { path: 'bench.duckdb' }, site.folder).then((sink) => sink.close());
    const count = Math.floor(persons / PEOPLE);
    const end = Math.floor(Date.now() / 60_000) * 60_000_000;
    const range = { start: end - count * HOP, end };
    await fillWithPoses(join(site.folder, 'bench.duckdb'), {
      environment: 'room-1',
      frames: count,
      ...range,
    });
    const service = new Service(site);
    try {
      const password = await service.password();
      await service.running();
      const ask = asker(service.address, await service.login(password));
      progress('walks to page 1,000 of Form A');
      const pages = await pagesOf(ask, range, persons);
      progress('asks for pages at rest');
      const atRest = await timesOf(ask, pages);
      progress(`asks for pages at ${FRAMES_PER_SECOND} frames/s`);
      const asked = new AbortController();
      const asking = timesOf(ask, pages).finally(() => {
        asked.abort();
      });
      const frames = { port: site.udpPort, links: site.links, rate: FRAMES_PER_SECOND, times: false };
      while (!asked.signal.aborted) await sendFrom({ ...frames, seconds: 1 });
      const whileWriting = await asking;
      return { persons, atRest, whileWriting, query: await queryAll(ask, range), load };
    } finally {
      await service.end();
    }
  } finally {
    site.remove();
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the text of the response. */
type Ask = (path: string, body?: object) => Promise<string>;

const asker =
  (address: string, token: string): Ask =>
  async (path, body) => {
    const response = await fetch(address + path, {
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${text}`);
    return text;
  };

/** URLs of the measured pages, by name. */
async function pagesOf(
  ask: Ask,
  { start, end }: Range,
  persons: number,
): Promise<Readonly<Record<string, string>>> {
  const whole = `${FORM_B}?start_time=${isoTime(start)}&end_time=${isoTime(end)}&per_page=${PAGE}`;
  const tail = `${FORM_A}?start_time=${isoTime(end - 2 * PAGE * HOP)}&limit=${PAGE}`;
  const deep = Math.min(WALKED, (persons / PEOPLE) >> 1);
  return {
    'Form A, page 1': `${FORM_A}?limit=${PAGE}`,
    [`Form A, page ${deep / PAGE + 1}`]: await walk(ask, deep),
    'Form A, last cursor': `${tail}&cursor=${await cursorOf(ask, tail)}`,
    'Form B, page 1': `${whole}&page=1`,
    'Form B, page 1000': `${whole}&page=1000`,
    'Form B, last page': `${whole}&page=${Math.ceil(persons / PAGE)}`,
  };
}

/** The page after this many frames. */
async function walk(ask: Ask, frames: number): Promise<string> {
  let cursor = '';
  for (let left = frames; left > 0; left -= STRIDE)
    cursor = `&cursor=${await cursorOf(ask, `${FORM_A}?limit=${Math.min(left, STRIDE)}${cursor}`)}`;
  return `${FORM_A}?limit=${PAGE}${cursor}`;
}

async function cursorOf(ask: Ask, path: string): Promise<string> {
  const { pagination } = JSON.parse(await ask(path)) as { pagination: { next_cursor: string | null } };
  if (pagination.next_cursor === null) throw new Error(`${path} is the last page`);
  return pagination.next_cursor;
}

async function timesOf(ask: Ask, pages: Readonly<Record<string, string>>): Promise<readonly PageTimes[]> {
  const found: PageTimes[] = [];
  for (const [page, path] of Object.entries(pages)) {
    const first = await milliseconds(() => ask(path));
    const times: number[] = [];
    for (let call = 0; call < CALLS; call++) times.push(await milliseconds(() => ask(path)));
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.ceil(share * CALLS) - 1]!;
    found.push({ page, first, p50: at(0.5), p99: at(0.99), longest: at(1) });
  }
  return found;
}

const queryAll = (ask: Ask, { start, end }: Range): Promise<number> =>
  milliseconds(() =>
    ask('/form-b/api/v1/pose/query', {
      query: {
        time_range: { start: isoTime(start), end: isoTime(end) },
        aggregation: { type: 'hourly_summary' },
      },
    }),
  );

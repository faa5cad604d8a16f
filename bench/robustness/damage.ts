import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorText } from '../../pipeline/base/error-text.js';
import { Outbox, StateStore } from '../../pipeline/state/index.js';
import * as killed from './killed-run.js';
import type { Section } from './report.js';

/** Bits flipped in one file: many, then one, in turn. */
const BITS = [20, 1] as const;
/** Restarts of the undamaged killed run: they must not report any damage. */
const UNTOUCHED = 3;

export interface Damages {
  readonly flips: number;
  readonly cuts: number;
}

/** The damage to one file of a killed run. */
interface Damage {
  readonly kind: 'untouched' | 'flipped' | 'cut' | 'removed';
  readonly file: string;
  readonly seed: number;
  readonly bits?: number;
}

type Outcome = 'equal stores' | 'reported at the start' | 'reported when read';

/**
 * Damages files of a killed run and restarts it: it must end with the stores of an undisturbed run, or report
 * the damage.
 */
export async function attackFiles(
  { flips, cuts }: Damages,
  progress: (line: string) => void,
): Promise<Section> {
  const run = await killed.makeRun();
  const findings: string[] = [];
  const counts = new Map<string, number>();
  const copies = [run];
  try {
    const expected = await wholeRun(run);
    await killed.kill(run);
    const whole = await killed.copyOf(run);
    copies.push(whole);
    const files = await damageable(run);
    const damages = [
      ...range(UNTOUCHED).map((seed) => ({ kind: 'untouched', file: killed.STORE, seed }) as const),
      ...range(flips).map((seed) => {
        const bits = BITS[Math.floor(seed / files.length) % BITS.length]!;
        return { kind: 'flipped', file: files[seed % files.length]!, seed, bits } as const;
      }),
      ...range(cuts).map((seed) => ({ kind: 'cut', file: files[seed % files.length]!, seed }) as const),
      ...(flips > 0 ? REMOVED : []).map((file) => ({ kind: 'removed', file, seed: 0 }) as const),
    ];
    for (const damage of damages) {
      await killed.putBack(run, whole);
      const outcome = await inflict(run, damage, expected).catch((error: unknown) => error as Error);
      const what = nameOf(damage);
      if (outcome instanceof Error) {
        const copy = await killed.copyOf(run);
        findings.push(`${what}, seed ${damage.seed}: ${outcome.message} (copied to ${copy})`);
      }
      const result = outcome instanceof Error ? 'failed' : outcome;
      counts.set(`${what}: ${result}`, (counts.get(`${what}: ${result}`) ?? 0) + 1);
      progress(`${what}, seed ${damage.seed}: ${errorText(outcome)}`);
    }
  } finally {
    await Promise.all(copies.map(killed.remove));
  }
  const rows = [...counts].sort().map(([what, count]) => [what, String(count)] as const);
  return { title: `Damaged files: starts after ${flips} flips and ${cuts} cuts`, rows, findings };
}

/** The content of the stores, each as one text. */
type Content = Readonly<Record<'duckdb' | 'lines' | 'outbox', string>>;

/** Files that a user may lose. */
const REMOVED = [`${killed.STORE}.wal`, `${killed.LINES}.index`, killed.STORE];

async function wholeRun(run: string): Promise<Content> {
  const { code, signal, said } = await killed.finish(run);
  if (code !== 0) throw new Error(`an undisturbed run ended with ${code ?? signal}: ${said}`);
  const content = await contentOf(run);
  await killed.forget(run);
  return content;
}

/** All except the lines files, which other programs read: they carry no checksums. */
async function damageable(run: string): Promise<readonly string[]> {
  const kept = await readdir(join(run, killed.DATA));
  const stores = kept.filter((name) => /\.(duckdb|wal|index)$/.test(name));
  const files = [...stores.map((name) => join(killed.DATA, name)), join(killed.STATE, 'state.mdb')];
  for (const file of [killed.STORE, `${killed.STORE}.wal`])
    if (!files.includes(file)) throw new Error(`the killed run left no ${file}`);
  return files;
}

/** @throws Error for any other ending */
async function inflict(run: string, damage: Damage, expected: Content): Promise<Outcome> {
  const file = join(run, damage.file);
  await damageFile(file, damage);
  const { code, signal, said } = await killed.finish(run);
  if (signal !== null) throw new Error(`ended by ${signal}: ${lastLine(said)}`);
  if (damage.kind !== 'untouched' && (code === 2 || code === 3)) {
    requireNamed(said, file);
    return 'reported at the start';
  }
  if (code !== 0) throw new Error(`ended with ${code}: ${lastLine(said)}`);
  let content: Content;
  try {
    content = await contentOf(run);
  } catch (error) {
    requireNamed((error as Error).message, file);
    return 'reported when read';
  }
  for (const store of ['duckdb', 'lines', 'outbox'] as const)
    if (content[store] !== expected[store])
      throw new Error(
        `different content of ${store}: ${countOf(content[store])} instead of ${countOf(expected[store])} records`,
      );
  return 'equal stores';
}

/** Requires that the message names the file, or what it belongs to, and what to do. */
function requireNamed(said: string, file: string): void {
  const [name] = file.split(/\.wal$|\.index$/);
  if (said.includes(name!) && /restore|backup/.test(said) && /move/.test(said)) return;
  throw new Error(`does not name the file and how to continue: ${lastLine(said)}`);
}

const nameOf = ({ kind, file, bits }: Damage): string =>
  kind === 'untouched' ? kind : `${kind}${bits === undefined ? '' : `, ${bits} bits`}: ${basename(file)}`;

async function damageFile(file: string, { kind, seed, bits = 0 }: Damage): Promise<void> {
  const random = randomNumbers(seed);
  if (kind === 'untouched') return;
  if (kind === 'removed') await rm(file);
  else if (kind === 'cut') await truncate(file, random((await stat(file)).size));
  else {
    const bytes = await readFile(file);
    for (let bit = 0; bit < bits; bit++) bytes[random(bytes.length)]! ^= 1 << random(8);
    await writeFile(file, bytes);
  }
}

async function contentOf(run: string): Promise<Content> {
  return { duckdb: await rowsOf(run), lines: await killed.linesOf(run), outbox: await waitingOf(run) };
}

/** Only epochs may differ. @throws Error csiflow's message about the store */
async function rowsOf(run: string): Promise<string> {
  const to = join(run, 'measures.ndjson');
  const from = join(run, killed.STORE);
  const { code, said } = await killed.csiflow(['export', '--from', from, '--table', 'measures', '--to', to]);
  if (code !== 0) throw new Error(said);
  const rows = (await readFile(to, 'utf8')).replace(/"epoch":\d+,/g, '');
  return rows.split('\n').sort().join('\n');
}

/** Records not yet delivered to the server that is offline. */
async function waitingOf(run: string): Promise<string> {
  const folder = join(run, killed.STATE);
  if (!existsSync(folder)) throw new Error(`${folder} no longer exists`);
  const store = new StateStore(folder, killed.TOPOLOGY_ID);
  try {
    const records = [...new Outbox(store, killed.WAITING).entries()].flatMap((entry) => entry.records);
    return records.map((record) => JSON.stringify(record)).join('\n');
  } finally {
    await store.close();
  }
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const countOf = (text: string): number => text.split('\n').filter(Boolean).length;
const lastLine = (text: string): string => text.trim().split('\n').at(-1)!.slice(0, 400);

/** Deterministic for a seed (Numerical Recipes' generator). */
function randomNumbers(seed: number): (below: number) => number {
  let state = (seed + 1) * 7919;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

import { POSTURES } from '../../operators/infer-pose/networks/body.js';
import { readBounded } from '../../pipeline/config/reading/files.js';
import { Problems, type Location, type Problem } from '../../pipeline/config/problems/problem.js';
import type { Environment, Posture } from '../../pipeline/model/index.js';
import { PEOPLE } from '../memory/courses.js';

/** A person present, according to a user's labels. */
export interface LabelledPerson {
  /** Metres. */
  readonly place: readonly [number, number];
  /** Metres per second. */
  readonly velocity: readonly [number, number];
  /** Null if not labelled. */
  readonly posture: Posture | null;
}

/** Labelled positions of people in a recording. */
export class Labels {
  readonly #tracks: readonly (readonly Line[])[];
  readonly #from: number;
  readonly #to: number;

  constructor(lines: readonly Line[]) {
    this.#from = Math.min(...lines.map(({ time }) => time));
    this.#to = Math.max(...lines.map(({ time }) => time));
    const names = new Set(lines.flatMap(({ person }) => person ?? []));
    this.#tracks = [...names].map((name) => lines.filter(({ person }) => person === name));
  }

  /**
   * The people present at a time, interpolated linearly between two lines; null if not labelled: before the
   * first line, after the last one, and after the last line of a person if it does not say that they left.
   * @param time as in the lines: seconds since the recording's first frame, or since 1970 if {@link
   * Line.absolute}
   */
  at(time: number): readonly LabelledPerson[] | null {
    if (time < this.#from || time > this.#to) return null;
    const people: LabelledPerson[] = [];
    for (const track of this.#tracks) {
      const index = track.findLastIndex((line) => line.time <= time);
      const [line, next] = [track[index], track[index + 1]];
      if (!line || line.place === null) continue;
      if (!next) return null;
      people.push(between(line, next, time));
    }
    return people;
  }
}

function between({ time, place, posture }: Line, next: Line, now: number): LabelledPerson {
  const [x, y] = place!;
  const seconds = next.time - time;
  if (next.place === null || seconds === 0) return { place: [x, y], velocity: [0, 0], posture };
  const velocity = [(next.place[0] - x) / seconds, (next.place[1] - y) / seconds] as const;
  return { place: [x + velocity[0] * (now - time), y + velocity[1] * (now - time)], velocity, posture };
}

/** A line of a label file. */
export interface Line {
  /** Seconds since the recording's first frame, or since 1970. */
  readonly time: number;
  readonly absolute: boolean;
  /** Null for a line without a person: labels begin or continue until there. */
  readonly person: string | null;
  /** Metres; null if the person leaves. */
  readonly place: readonly [number, number] | null;
  readonly posture: Posture | null;
}

/** Labels, or all errors in their file. */
export type LoadedLabels =
  | { readonly labels: Labels; readonly absolute: boolean; readonly problems: readonly Problem[] }
  | { readonly labels?: undefined; readonly absolute?: undefined; readonly problems: readonly Problem[] };

const COLUMNS = ['time', 'person', 'x', 'y', 'posture'] as const;
type Cells = Readonly<Record<(typeof COLUMNS)[number], Cell>>;
interface Cell {
  readonly text: string;
  readonly location: Location;
}

const AWAY = 'away';

/**
 * Reads and checks a label file: docs/training.md describes its format. Never throws for the file's content.
 */
export function loadLabels(file: string, environment: Environment): LoadedLabels {
  const problems = new Problems();
  const text = readBounded(file, file, problems);
  if (text === undefined) return { problems: problems.list() };
  const rows = text.split('\n').map((row) => row.replace(/\r$/, ''));
  const start = { file, line: 1, column: 1, length: Math.max(1, rows[0]!.length) };
  if (rows[0]!.replaceAll(' ', '') !== COLUMNS.join()) {
    const message = `the first line must be \`${COLUMNS.join()}\``;
    problems.add('config.value.invalid', start, message, { suggestion: COLUMNS.join() });
    return { problems: problems.list() };
  }
  const lines: Line[] = [];
  const there = new Set<string>();
  rows.slice(1).forEach((row, index) => {
    if (row.trim() === '') return;
    const cells = cellsOf(row, { file, line: index + 2 }, problems);
    const line = cells && lineOf(cells, environment, problems);
    if (!cells || !line) return;
    const problem = orderProblem(lines.at(-1), line) ?? crowdProblem(there, line);
    if (problem) problems.add('config.value.invalid', cells.time.location, problem);
    lines.push(line);
  });
  if (lines.length < 2 && problems.errors === 0)
    problems.add('config.value.invalid', start, 'two lines at least are needed: labels hold between them');
  if (problems.errors > 0) return { problems: problems.list() };
  return { labels: new Labels(lines), absolute: lines[0]!.absolute, problems: problems.list() };
}

function cellsOf(row: string, at: Pick<Location, 'file' | 'line'>, problems: Problems): Cells | null {
  let column = 1;
  const cells = row.split(',').map((text): Cell => {
    const before = text.length - text.trimStart().length;
    const trimmed = text.trim();
    const location = { ...at, column: column + before, length: Math.max(1, trimmed.length) };
    column += text.length + 1;
    return { text: trimmed, location };
  });
  if (cells.length === COLUMNS.length)
    return Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i]!])) as Cells;
  const message = `there are ${cells.length} values where there must be ${COLUMNS.length}: ${COLUMNS.join(', ')}`;
  problems.add('config.value.invalid', { ...at, column: 1, length: row.length }, message);
  return null;
}

function lineOf(cells: Cells, { size }: Environment, problems: Problems): Line | null {
  const bad = (cell: Cell, message: string, suggestion?: string): null => {
    problems.add('config.value.invalid', cell.location, message, { suggestion });
    return null;
  };
  const { person, x, y, posture } = cells;
  const time = timeOf(cells.time.text);
  if (!time)
    return bad(
      cells.time,
      'must be seconds since the recording began, or a date with time and zone: 2026-01-31T08:00:00Z',
    );
  const given = [x, y, posture].find(({ text }) => text !== '');
  if (person.text === '') {
    if (given) return bad(given, 'a line of nobody has a time alone: name the person, or leave this empty');
    return { ...time, person: null, place: null, posture: null };
  }
  if (posture.text === AWAY) {
    const place = [x, y].find(({ text }) => text !== '');
    if (place) return bad(place, 'somebody who is away has no place: leave it empty');
    return { ...time, person: person.text, place: null, posture: null };
  }
  const place = [metres(x, size.x), metres(y, size.y)] as const;
  for (const [cell, problem] of [[x, place[0].problem] as const, [y, place[1].problem] as const])
    if (problem) return bad(cell, problem);
  const known = POSTURES.find((name) => name === posture.text) ?? null;
  if (posture.text !== '' && known === null)
    return bad(posture, `must be one of ${[...POSTURES, AWAY].join(', ')}, or empty`);
  return { ...time, person: person.text, place: [place[0].value, place[1].value], posture: known };
}

function timeOf(text: string): Pick<Line, 'time' | 'absolute'> | null {
  if (/^\d+(\.\d+)?$/.test(text)) return { time: Number(text), absolute: false };
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text)) return null;
  const time = Date.parse(text) / 1000;
  return Number.isNaN(time) ? null : { time, absolute: true };
}

function metres({ text }: Cell, side: number): { readonly value: number; readonly problem: string | null } {
  const value = text === '' ? NaN : Number(text);
  const problem = Number.isNaN(value)
    ? 'must be metres from the corner of the room'
    : value < 0 || value > side
      ? `must be within the room: 0 to ${side} m`
      : null;
  return { value, problem };
}

/** The error of a line that follows another one, or null. */
function orderProblem(before: Line | undefined, line: Line): string | null {
  if (!before) return null;
  if (before.absolute !== line.absolute) return 'all times must be of one kind: seconds, or dates';
  return before.time > line.time ? 'times must not go back' : null;
}

/** Tracks who is present. */
function crowdProblem(there: Set<string>, { person, place }: Line): string | null {
  if (person === null) return null;
  if (place === null) there.delete(person);
  else there.add(person);
  return there.size > PEOPLE ? `no more than ${PEOPLE} people can be there at once` : null;
}

/** What `node --cpu-prof` writes of a thread. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes, and the time since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
}

/** Sampled time of a part of an answer, without what it calls of other parts. */
export interface PartTime {
  /** `answers.js: identify`, or the package `koa-compress.js`. */
  readonly part: string;
  readonly us: number;
}

/**
 * The time of each middleware: a sample belongs to the innermost function on its stack that is of a file of
 * middlewares. Functions inside another count as that one; of a package, all count together.
 * @param lineOf the text of a line of a compiled file
 */
export function timeByMiddleware(
  { nodes, samples, timeDeltas }: CpuProfile,
  lineOf: (url: string, lineNumber: number) => string,
): readonly PartTime[] {
  const owners = ownersOf(nodes, lineOf);
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const part = owners.get(id);
    if (part !== undefined) times.set(part, (times.get(part) ?? 0) + timeDeltas[index]!);
  }
  return [...times].map(([part, us]) => ({ part, us })).sort((one, other) => other.us - one.us);
}

/** Time of all samples in which the thread worked. */
export function busyTime({ nodes, samples, timeDeltas }: CpuProfile): number {
  const resting = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id),
  );
  return samples.reduce((sum, id, index) => sum + (resting.has(id) ? 0 : timeDeltas[index]!), 0);
}

/** Files whose functions are, or make, middlewares and what surrounds them. Others are called by them. */
const OWN =
  /\/api\/(?:rest\/serving|service\/accounts|web)\/(?:answers|count-calls|access|record-actions|serve|app|one-at-a-time|liveness|credentials|api-docs)\.js$/;
const PACKAGE = /\/packages\/(koa[\w-]*\.js)$/;
/** A declaration that is not inside another one. */
const DECLARATION = /^(?:export )?(?:async )?(?:function|const|class) (\w+)/;

/** The part of the innermost function on the stack of each node; none outside of all. */
function ownersOf(
  nodes: readonly ProfileNode[],
  lineOf: (url: string, lineNumber: number) => string,
): ReadonlyMap<number, string> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const owners = new Map<number, string>();
  for (const { id } of nodes) {
    const stack: CallFrame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(frames.get(at)!);
    const part = partOf(stack, lineOf);
    if (part !== null) owners.set(id, part);
  }
  return owners;
}

/** @param stack the innermost function first */
function partOf(
  stack: readonly CallFrame[],
  lineOf: (url: string, lineNumber: number) => string,
): string | null {
  // Koa and its router themselves are called by each middleware, and only count outside of all.
  let koa: string | null = null;
  for (const { url, lineNumber } of stack) {
    const file = url.slice(url.lastIndexOf('/') + 1);
    if (OWN.test(url)) return `${file}: ${declarationAt(url, lineNumber, lineOf)}`;
    const [, name] = PACKAGE.exec(url) ?? [];
    if (name === 'koa.js' || name === 'koa-router.js') koa ??= name;
    else if (name !== undefined) return name;
  }
  return koa;
}

/** The name of the outermost declaration that contains a line. */
function declarationAt(
  url: string,
  lineNumber: number,
  lineOf: (url: string, lineNumber: number) => string,
): string {
  for (let line = lineNumber; line >= 0; line--) {
    const [, name] = DECLARATION.exec(lineOf(url, line)) ?? [];
    if (name !== undefined) return name;
  }
  return 'module';
}

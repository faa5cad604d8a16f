import { readFileSync } from 'node:fs';

/**
 * Loaded into a csiflow under test, with `--import`: measures how much processor time its main thread takes
 * per turn of its event loop. csiflow only controls this part of the time that others wait; the rest is load
 * of the machine, which says nothing about the code. It prints its address.
 */
const CODE = `
  import { readFileSync } from 'node:fs';
  import { createServer } from 'node:http';
  import { isMainThread } from 'node:worker_threads';

  /** Processor time of this thread, milliseconds. */
  const spent = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

  if (isMainThread) {
    let [last, longest] = [spent(), 0];
    const look = () => {
      const now = spent();
      longest = Math.max(longest, now - last);
      last = now;
    };
    // Timers that are due fire between two turns, so that no two turns are taken for one.
    setInterval(look, 5).unref();
    // Answers the longest turn since the question before; ?work=MS is a turn of that length, to see that it is found.
    const server = createServer(({ url }, response) => {
      const work = Number(new URL(url, 'http://localhost').searchParams.get('work') ?? 0);
      if (work > 0) for (const begun = spent(); spent() - begun < work;);
      else look();
      response.end(String(longest));
      if (work === 0) longest = 0;
    });
    server.listen(0, '127.0.0.1', () => {
      process.stdout.write('turns at http://127.0.0.1:' + server.address().port + '\\n');
    });
    server.unref();
  }
`;

/** A module for `--import`. */
export const TURNS = `data:text/javascript,${encodeURIComponent(CODE)}`;

/** Tries of work whose turns are too long: the garbage of the whole process is collected in one of its turns. */
const TRIES = 3;

/** The longest turn of this thread's event loop during `work`, milliseconds of processor time; that of the best of some tries. */
export async function longestTurnAtBest(work: () => Promise<unknown>, enough: number): Promise<number> {
  let best = Infinity;
  for (let tries = 0; tries < TRIES && best >= enough; tries++)
    best = Math.min(best, await longestTurn(work()));
  return best;
}

async function longestTurn(work: Promise<unknown>): Promise<number> {
  const spent = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  let [last, longest] = [spent(), 0];
  const timer = setInterval(() => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
  }, 2);
  await work;
  clearInterval(timer);
  return longest;
}

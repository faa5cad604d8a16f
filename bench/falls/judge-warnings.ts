import { Value } from 'typebox/value';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import type { Output } from '../../pipeline/component/index.js';
import type { SensedEvent } from '../../pipeline/model/index.js';
import { offlineContext } from './chain.js';
import { fallsOf, setUp, windowsOf, type Plan } from './scenes.js';

/** Output of `detect-falls` for a simulated scene, behind the shipped chain. Times are event times, seconds. */
export interface Told {
  readonly seconds: number;
  readonly falls: readonly {
    /** From the end of the fall to its warning; null if there was none. */
    readonly warnedAfter: number | null;
    /** From its beginning to its `fall_detection`; null if there was none. */
    readonly foundAfter: number | null;
  }[];
  /** Warnings and detections without a fall. */
  readonly falseWarnings: number;
  readonly falseAlarms: number;
  /** From each warning's own time to its fall or its withdrawal; none if it is open at the end. */
  readonly settledAfter: readonly number[];
  readonly withdrawn: number;
}

/** An event this long or longer before a fall's beginning, or after its end, does not belong to it. */
const EARLY_S = 0.5;
const LATE_S = 3;

/** Plays a scene to a `detect-falls` with warnings enabled. @param config further fields of it */
export function judgeWarnings(plan: Plan, config: Readonly<Record<string, unknown>> = {}): Told {
  const { environment, stage, rateHz } = setUp(plan);
  const ticks = stage.enter(0);
  const fields = Value.Default(detectFalls.config, { warn: true, ...config });
  const detector = detectFalls.create(fields as never, offlineContext(environment));
  const told: Heard[] = [];
  for (const window of windowsOf(stage, environment, ticks, rateHz)) {
    const at = (window.start + window.points * window.step) / 1e6;
    const { data } = detector.process(window, 'windows') as Output<SensedEvent>;
    told.push(...data.map((event) => ({ event, at })));
  }
  const falls = fallsOf(stage, ticks, rateHz);
  const of = (type: SensedEvent['type']) => told.filter(({ event }) => event.type === type);
  const [suspected, found, withdrawn] = [of('fall_suspected'), of('fall_detection'), of('fall_withdrawn')];
  const isOf = ({ event }: Heard, { from, to }: (typeof falls)[number]) =>
    event.time / 1e6 > from - EARLY_S && event.time / 1e6 < to + LATE_S;
  const isFalse = (heard: Heard) => !falls.some((fall) => isOf(heard, fall));
  return {
    seconds: ticks / rateHz,
    falls: falls.map((fall) => ({
      warnedAfter: after(
        fall.to,
        suspected.find((heard) => isOf(heard, fall)),
      ),
      foundAfter: after(
        fall.from,
        found.find((heard) => isOf(heard, fall)),
      ),
    })),
    falseWarnings: suspected.filter(isFalse).length,
    falseAlarms: found.filter(isFalse).length,
    settledAfter: suspected.flatMap(({ event: { id, time } }) => {
      const end = [...found, ...withdrawn].find(({ event }) => event.metadata['suspected'] === id);
      return end ? [end.at - time / 1e6] : [];
    }),
    withdrawn: withdrawn.length,
  };
}

interface Heard {
  readonly event: SensedEvent;
  /** End of the window that caused it. */
  readonly at: number;
}

const after = (time: number, heard: Heard | undefined): number | null => (heard ? heard.at - time : null);

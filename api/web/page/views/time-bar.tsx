import { useSignal, useSignalEffect } from '@preact/signals';
import {
  advance,
  goLive,
  goToMinute,
  minute,
  MINUTE_MS,
  moment,
  recording,
  shownTime,
} from '../state/past.js';
import { ageText, now, timeText } from '../state/time.js';
import { Problem } from '../parts/problem.js';

const DAY_MINUTES = 1440;
const STEP_MS = 200;

/** Shows any past minute of the store instead of now, and plays it. */
export function TimeBar() {
  return (
    <div class="times">
      <div class="tools" role="group" aria-label="Time that is shown">
        <DaySlider />
        <label>
          Go to{' '}
          <input
            id="minute"
            type="datetime-local"
            value={minute.value === null ? '' : fieldText(minute.value)}
            onChange={({ currentTarget: { value } }) => {
              const time = new Date(value).getTime();
              if (Number.isFinite(time)) goToMinute(time);
            }}
          />
        </label>
        <button type="button" aria-pressed={minute.value === null} onClick={goLive}>
          Now
        </button>
      </div>
      {minute.value !== null && <Player />}
    </div>
  );
}

/** Minutes of the last day; the right end is now. */
function DaySlider() {
  const dragged = useSignal<number | null>(null);
  const newest = Math.floor(now.value / MINUTE_MS) * MINUTE_MS;
  const shown = minute.value === null ? 0 : (minute.value - newest) / MINUTE_MS;
  const value = dragged.value ?? shown;
  const words = value === 0 ? 'Now' : timeText(newest + value * MINUTE_MS);
  return (
    <>
      <input
        id="day"
        type="range"
        min={-DAY_MINUTES}
        max={0}
        value={value}
        aria-label="Minute of the last day"
        aria-valuetext={words}
        onInput={({ currentTarget }) => (dragged.value = currentTarget.valueAsNumber)}
        onChange={({ currentTarget: { valueAsNumber: chosen } }) => {
          dragged.value = null;
          if (chosen === 0) goLive();
          else goToMinute(newest + chosen * MINUTE_MS);
        }}
      />
      <output for="day">{dragged.value === null ? '' : words}</output>
    </>
  );
}

/** Seconds of the displayed minute. */
function Player() {
  const playing = useSignal(false);
  useSignalEffect(() => {
    if (!playing.value) return undefined;
    const timer = setInterval(() => {
      advance(STEP_MS);
    }, STEP_MS);
    return () => {
      clearInterval(timer);
    };
  });
  const time = shownTime.value ?? 0;
  return (
    <>
      <div class="tools" role="group" aria-label="Second that is shown">
        <button type="button" onClick={() => (playing.value = !playing.value)}>
          {playing.value ? 'Pause' : 'Play'}
        </button>
        <input
          id="moment"
          type="range"
          min={0}
          max={MINUTE_MS - STEP_MS}
          step={STEP_MS}
          value={moment.value}
          aria-label="Second of the minute"
          aria-valuetext={timeText(time)}
          onInput={({ currentTarget }) => (moment.value = currentTarget.valueAsNumber)}
        />
        <output for="moment">
          {timeText(time)}, {ageText(now.value - time)} ago
        </output>
      </div>
      {recording.value === null ? <p class="hint">Loading…</p> : <Problem text={recording.value.problem} />}
    </>
  );
}

/** Local time, as fields for date and time have it. */
function fieldText(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
}

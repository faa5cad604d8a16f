import { useSignal } from '@preact/signals';
import { HeatMap } from '../heat/heat-map.js';
import { Chart } from '../history/chart.js';
import { historyOf, SPANS, type Span } from '../history/series.js';
import { usePolled } from '../state/poll.js';
import { room } from '../state/scene.js';
import { Problem } from '../parts/problem.js';

const EVERY_MS = 60_000;

/** Occupancy, activity and breathing of the room over time, from its store. */
export function History() {
  const span = useSignal<Span>('1 hour');
  const history = usePolled(() => historyOf(room.value?.id ?? '', span.value), EVERY_MS);
  const { value, problem } = history.value;
  return (
    <>
      <div class="actions" role="group" aria-label="Time that is shown">
        {(Object.keys(SPANS) as Span[]).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={span.value === one}
            onClick={() => (span.value = one)}
          >
            {one}
          </button>
        ))}
      </div>
      <Problem text={problem} />
      {value && (
        <>
          <Chart
            title="People"
            unit="people"
            times={value.times}
            lines={value.people}
            empty="Nothing was measured in this time. The operator watch-zones measures it, once a minute."
          />
          <Chart
            title="Activity"
            unit="minutes"
            times={value.times}
            lines={value.activities}
            empty="Nothing was measured in this time. The operator detect-activity measures it, once a minute."
          />
          <Chart
            title="Breathing"
            unit="a minute"
            times={value.times}
            lines={value.breathing}
            empty="Nothing was measured in this time: somebody must keep still for half a minute. The operator estimate-vitals measures it."
          />
        </>
      )}
      <HeatMap key={span.value} span={span.value} />
    </>
  );
}

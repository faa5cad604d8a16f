import { computed, effect, signal } from '@preact/signals';
import { errorText } from '../../../client/errors.js';
import { service } from '../state/session.js';
import { editing } from './editing.js';

export type Layer = 'none' | 'error' | 'links';

/** What is drawn on the floor. */
export const layer = signal<Layer>('none');
export const coverage = signal<Coverage | null>(null);
/** Why there is none; empty while it is simulated. */
export const coverageProblem = signal('');

/** The layers show the same simulation. */
const isShown = computed(() => layer.value !== 'none');

/** Simulates after the last change of several. */
const REST_MS = 600;

async function coverageOf(environment: string, text: string, signal: AbortSignal) {
  const { data } = await service().rest.POST('/environments/{environment_id}/coverage', {
    params: { path: { environment_id: environment } },
    body: { text },
    signal,
  });
  return data!.data;
}
export type Coverage = Awaited<ReturnType<typeof coverageOf>>;

effect(() => {
  const { value } = editing;
  coverage.value = null;
  coverageProblem.value = '';
  if (!value || !isShown.value) return;
  // A change ends the simulation of the text before it, here and in the service.
  const over = new AbortController();
  const timer = setTimeout(() => {
    coverageOf(value.file.environment_id, value.text, over.signal).then(
      (found) => {
        if (!over.signal.aborted) coverage.value = found;
      },
      (error: unknown) => {
        if (!over.signal.aborted) coverageProblem.value = errorText(error);
      },
    );
  }, REST_MS);
  return () => {
    clearTimeout(timer);
    over.abort();
  };
});

/** Bands of a layer, the best first, with the first value that is no longer in each. */
export const BANDS = {
  error: [
    { most: 0.35, text: 'up to 0.35 m' },
    { most: 0.6, text: 'up to 0.6 m' },
    { most: 1, text: 'up to 1 m' },
    { most: Infinity, text: 'more' },
  ],
  links: [
    { most: -2.5, text: '3 links or more' },
    { most: -1.5, text: '2' },
    { most: -0.5, text: '1' },
    { most: Infinity, text: 'none' },
  ],
} as const;

/** The band of each cell, by row and column. */
export const bandsOf = ({ error_m: error, links }: Coverage, of: 'error' | 'links'): readonly number[] => {
  const values = of === 'error' ? error : links.map((count) => -count);
  return values.map((value) => BANDS[of].findIndex(({ most }) => value <= most));
};

import { describe, expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import type { Person, PoseFrame } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { person, poseFrame } from '../support/fake-topology.js';
import { withDefaults } from '../kit/definition.js';

const config = withDefaults(trackPersons, { max_persons: 4, min_hits: 1, min_confidence: 0 });

/** The trackers' output for persons one metre apart, with these confidences, frame after frame. */
function tracker() {
  const operator = trackPersons.create(config as never, testContext().context);
  let index = 0;
  return {
    adjust: (fields: object) => {
      operator.adjust!({ ...config, ...fields });
    },
    tell: (...confidences: readonly number[]): readonly Person[] => {
      const persons = confidences.map((confidence, i) => ({
        ...person(0, 1 + i, 1 + i),
        confidence,
        track: null,
      }));
      const output = operator.process(poseFrame(index++, persons), 'poses') as { data: readonly PoseFrame[] };
      return output.data[0]!.persons;
    },
  };
}

const idsOf = (persons: readonly Person[]) => persons.map(({ track }) => track?.id ?? null);

describe('track-persons, changed while running', () => {
  it('hides less certain persons, and keeps following them', () => {
    const { tell, adjust } = tracker();
    expect(idsOf(tell(0.9, 0.3))).toEqual([1, 2]);
    adjust({ min_shown_confidence: 0.5 });
    expect(idsOf(tell(0.9, 0.3))).toEqual([1]);
    expect(idsOf(tell(0.9, 0.6))).toEqual([1, 2]);
  });

  it('reports no more persons than allowed', () => {
    const { tell, adjust } = tracker();
    expect(tell(0.9, 0.8, 0.7)).toHaveLength(3);
    adjust({ max_persons: 2 });
    expect(idsOf(tell(0.9, 0.8, 0.7))).toEqual([1, 2]);
    adjust({ max_persons: 2, follow: false });
    expect(tell(0.5, 0.8, 0.7).map(({ confidence }) => confidence)).toEqual([0.8, 0.7]);
  });

  it('gives no numbers while it does not track, and the same ones afterwards', () => {
    const { tell, adjust } = tracker();
    tell(0.9, 0.8);
    adjust({ follow: false });
    expect(idsOf(tell(0.9, 0.8))).toEqual([null, null]);
    adjust({});
    expect(idsOf(tell(0.9, 0.8))).toEqual([1, 2]);
  });
});

it('every operator with adjustable fields can be adjusted', () => {
  const live = components.list('operator').filter(({ liveFields }) => liveFields !== undefined);
  expect(live.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['detect-falls', 'detect-inactivity', 'infer-pose', 'track-persons']),
  );
  for (const component of live) {
    const made = component.create(withDefaults(component, {}) as never, testContext().context);
    expect(made).toHaveProperty('adjust');
  }
});

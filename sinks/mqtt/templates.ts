/** A template of Home Assistant: a measure of all subjects, as a list. */
export const valuesOf = (measure: string): string =>
  `(value_json.subjects.values() | map(attribute='${measure}') | select('defined') | list)`;

const withMeasure = (measure: string): string =>
  `value_json.subjects.items() | selectattr('1.${measure}', 'defined')`;

/** A template: the value of each subject that has this measure. */
export const bySubject = (measure: string): string =>
  `dict(zip(${withMeasure(measure)} | map('first') | list, ${valuesOf(measure)}))`;

/** A template: ids of the subjects whose measure compares like this to a number. */
export const subjectsWith = (measure: string, test: string, value: number): string =>
  `${withMeasure(measure)} | selectattr('1.${measure}', '${test}', ${value}) | map('first') | list`;

/** A template: whether somebody is there; Home Assistant shows `None` as unknown. */
export const OCCUPIED =
  "{{ none if value_json.occupied is none else 'ON' if value_json.occupied else 'OFF' }}";

/** A template: `live`, `replayed` or `simulated`. */
export const ORIGIN = 'value_json.provenance.origin';

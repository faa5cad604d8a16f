import type { Context } from '../../pipeline/component/index.js';
import type { Measure } from '../../pipeline/model/index.js';

/** What an operator measures, of an environment or of one subject in it. `time` is in microseconds. */
export const measureOf = (
  { provenance }: Pick<Context, 'provenance'>,
  {
    name,
    environment,
    subject,
    time,
    value,
  }: Pick<Measure, 'name' | 'environment' | 'subject' | 'time' | 'value'>,
): Measure => ({
  port: 'measure',
  name,
  environment,
  subject,
  time,
  value,
  source: 'csiflow',
  provenance,
});

/** Measures of one link, by name. */
export function linkMeasures(
  context: Pick<Context, 'links' | 'provenance'>,
  link: number,
  time: number,
  values: readonly (readonly [name: string, value: number])[],
): Measure[] {
  const { link: about, environment } = context.links.at(link);
  return values.map(([name, value]) =>
    measureOf(context, { name, environment: environment.id, subject: about.id, time, value }),
  );
}

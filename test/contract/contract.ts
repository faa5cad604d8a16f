import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { answered } from '../support/waiting.js';
import { document, rowsOf } from './document.js';
import { analytics } from './sections/analytics.js';
import { control } from './sections/control.js';
import { credentials } from './sections/credentials.js';
import { errors } from './sections/errors.js';
import { events } from './sections/events.js';
import { lifecycle } from './sections/lifecycle.js';
import { limits } from './sections/limits.js';
import { pose } from './sections/pose.js';
import { resources } from './sections/resources.js';
import { lately, Service } from './service.js';

/** Creates a section's tests: each is named by the section and the first column of its row. */
export interface Rows {
  readonly service: () => Service;
  readonly row: (section: string, first: string, run: () => Promise<void>) => void;
  readonly rows: (section: string, firsts: readonly string[], run: (first: string) => Promise<void>) => void;
  /** A row that another test covers, and where. */
  readonly elsewhere: (section: string, first: string, where: string) => void;
}

/**
 * The service interface, row by row of the tables of its document, against a running csiflow that is called
 * from outside.
 *
 * @param store returns the fields of the sink that stores results, in YAML
 */
export function contract(name: string, store: () => Promise<string>): void {
  describe(`the service interface over ${name}`, () => {
    let started: Service;
    const named = new Set<string>();
    const made = new Set<string>();
    const pointedTo = new Set<string>();

    beforeAll(async () => {
      started = await Service.start(await store());
      await someoneCame(started);
    }, 120_000);
    afterAll(() => started.stop());

    const row: Rows['row'] = (section, first, run) => {
      named.add(`${section} ${first}`);
      made.add(`${section} ${first}`);
      test(`${section} ${first}`, run, 60_000);
    };
    const tools: Rows = {
      service: () => started,
      row,
      rows: (section, firsts, run) => {
        for (const first of firsts) row(section, first, () => run(first));
      },
      elsewhere: (section, first, where) => {
        named.add(`${section} ${first}`);
        pointedTo.add(where);
      },
    };
    for (const section of [
      resources,
      control,
      credentials,
      pose,
      analytics,
      events,
      errors,
      lifecycle,
      limits,
    ])
      section(tools);

    test('references to other sections point to existing ones', () => {
      const isThere = (where: string): boolean =>
        /\.test\.ts$/.test(where) ? existsSync(packageFile(where)) : !/^\d/.test(where) || made.has(where);
      expect([...pointedTo].filter((where) => !isThere(where))).toEqual([]);
    });
    test.runIf(document)('every row of the document has its test', () => {
      expect([...rowsOf(document!)].filter((wanted) => !named.has(wanted))).toEqual([]);
    });
  });
}

/** Waits until a person has entered the kitchen, so that all later sections have data. */
async function someoneCame(service: Service): Promise<void> {
  await answered(
    'somebody in the kitchen',
    () => service.get('b', `/analytics/events?event_type=activity&${lately()}`),
    (found) => (found.at('pagination.total') as number) > 0,
    { limitMs: 100_000, everyMs: 500 },
  );
}

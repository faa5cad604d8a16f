import type { Data, Measure, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { intervalOf, milliseconds, type Panel, type View } from './dashboards.js';

// Expected content of the dashboards' panels, computed from the records themselves. Times are milliseconds.

/**
 * For a series: its tags as JSON, and values by time. Rows of a table are only distinguished by their tags.
 */
export type Shown = Readonly<Record<string, readonly (readonly number[])[]>>;

type Tags = Readonly<Record<string, string>>;
interface Sample {
  readonly time: number;
  readonly tags: Tags;
  readonly value: number;
}
type Fold = (values: readonly number[]) => number;

const total: Fold = (values) => values.reduce((sum, value) => sum + value, 0);
const mean: Fold = (values) => total(values) / values.length;
const most: Fold = (values) => Math.max(...values);
const least: Fold = (values) => Math.min(...values);
const last: Fold = (values) => values.at(-1)!;
const count: Fold = (values) => values.length;
const median: Fold = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(values.length - 1) >> 1]! + sorted[values.length >> 1]!) / 2;
};

/** The records that one panel and view show. */
class Records {
  readonly #records: readonly Data[];
  readonly #view: View;
  /** `$__interval`, and the values of the variables `sums` and `timezone`. */
  readonly interval: number;
  readonly sums: number;
  /** Ahead of UTC: the range contains no clock change. */
  readonly ahead: number;

  constructor(records: readonly Data[], panel: Panel, view: View, ahead: number) {
    this.#view = view;
    this.interval = intervalOf(view.to - view.from, view.points, milliseconds(panel.interval ?? '1ms'));
    this.sums = milliseconds(view.variables['sums'] as string);
    this.ahead = ahead;
    const wanted = (name: string) => view.variables[name]!;
    this.#records = records.filter(
      (record) =>
        (record.port === 'pose' || record.port === 'event' || record.port === 'measure') &&
        record.time / 1e3 >= view.from &&
        record.time / 1e3 <= view.to &&
        wanted('origin').includes(record.provenance.origin) &&
        wanted('environment').includes(record.environment),
    );
  }

  frames(value: (frame: PoseFrame) => number): Sample[] {
    return this.#of('pose').map((frame) => sample(frame, {}, value(frame)));
  }

  events(type: RegExp, tags: (event: SensedEvent) => Tags = () => ({})): Sample[] {
    const own = this.#of('event').filter((event) => event.source === 'csiflow' && type.test(event.type));
    return own.map((event) => sample(event, tags(event), event.confidence));
  }

  /** @param by grouping of the panel besides the environment */
  measures(name: RegExp, by: readonly ('name' | 'subject' | 'slot' | 'source')[] = []): Sample[] {
    const own = this.#of('measure').filter(
      (measure) => measure.source === 'csiflow' && name.test(measure.name),
    );
    return own.map((measure) => {
      const all = { name: measure.name, source: measure.source, ...about(measure) };
      return sample(measure, Object.fromEntries(by.map((tag) => [tag, all[tag]])), measure.value);
    });
  }

  /** Persons with an active track. @param value of a track */
  people(value: (person: PoseFrame['persons'][number]) => readonly number[]) {
    return this.#of('pose').flatMap((frame) =>
      frame.persons.flatMap((person) =>
        person.track?.state === 'active'
          ? [
              {
                time: frame.time / 1e3,
                environment: frame.environment,
                id: person.track.id,
                values: value(person),
              },
            ]
          : [],
      ),
    );
  }

  /** Buckets without a sample between the first and the last of the range count as 0. */
  filled(samples: readonly Sample[], length: number, fold: Fold, ahead = 0): Sample[] {
    const { from, to } = this.#view;
    return [...grouped(samples, ({ tags }) => JSON.stringify(tags))].flatMap(([tags, own]) => {
      const buckets = grouped(own, ({ time }) => String(bucketOf(time, length, ahead)));
      const found: Sample[] = [];
      // The first bucket counts although it begins before the range.
      for (let time = bucketOf(from, length, ahead); time <= to; time += length) {
        const values = buckets.get(String(time))?.map(({ value }) => value);
        found.push({ time, tags: JSON.parse(tags) as Tags, value: values ? fold(values) : 0 });
      }
      return found;
    });
  }

  #of<P extends 'pose' | 'event' | 'measure'>(port: P): readonly Data<P>[] {
    return this.#records.filter((record): record is Data<P> => record.port === port);
  }
}

const sample = (
  { time, environment }: PoseFrame | SensedEvent | Measure,
  tags: Tags,
  value: number,
): Sample => ({
  ...{ time: time / 1e3, tags: { environment, ...tags }, value },
});

/** A measure of a person has a slot, all others have a subject. */
const about = ({ subject }: Measure) =>
  subject !== null && /^\d+$/.test(subject)
    ? { subject: '', slot: String(Number(subject) % 16) }
    : { subject: subject ?? '', slot: '' };

const bucketOf = (time: number, length: number, ahead = 0): number =>
  Math.floor((time + ahead) / length) * length - ahead;

function grouped<T>(all: readonly T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(key(one));
    if (group) group.push(one);
    else groups.set(key(one), [one]);
  }
  return groups;
}

/** One series for each combination of tags, one value for each bucket and fold. */
function series(samples: readonly Sample[], length: number, folds: readonly Fold[], ahead = 0): Shown {
  const found: Record<string, (readonly number[])[]> = {};
  for (const [tags, own] of grouped(samples, (one) => key(one.tags)))
    found[tags] = [...grouped(own, ({ time }) => String(bucketOf(time, length, ahead)))]
      .map(([time, bucket]) => {
        const values = bucket.toSorted((a, b) => a.time - b.time).map(({ value }) => value);
        return [Number(time), ...folds.map((fold) => fold(values))];
      })
      .sort((a, b) => a[0]! - b[0]!);
  return found;
}

/** An absent tag is empty, or, in SQL, no column. */
export const key = (tags: Tags): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(tags)
        .filter(([, text]) => text !== '')
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );

/** Values without times, one row for each combination of tags. */
const rows = (samples: readonly Sample[], fold: Fold): Shown =>
  Object.fromEntries(
    Object.entries(series(samples, Number.MAX_SAFE_INTEGER, [fold])).map(([tags, values]) => [
      tags,
      values.map((row) => row.slice(1)),
    ]),
  );

const peopleIn = ({ persons }: PoseFrame) => persons.filter(({ track }) => track?.state === 'active').length;
const FALL = /^fall_detection$/;

const links =
  (name: RegExp, by: readonly ('name' | 'subject')[] = ['subject']) =>
  (all: Records) =>
    series(all.measures(name, by), all.interval, [mean]);

/** By the titles of panels. */
const TRUTHS: Readonly<Record<string, (all: Records) => Shown>> = {
  'People, in the newest frame of the range': (all) => rows(all.frames(peopleIn), last),
  'Falls in this range': (all) => {
    const none = Object.keys(rows(all.frames(peopleIn), count)).map((tags) => [tags, [[0]]] as const);
    return { ...Object.fromEntries(none), ...rows(all.events(FALL), count) };
  },
  People: (all) => series(all.frames(peopleIn), all.interval, [mean, most]),
  Presence: (all) => series(all.measures(/^presence$/), all.interval, [mean]),
  'Falls per day': (all) => {
    const day = 86_400_000;
    return series(all.filled(all.events(FALL), day, count, all.ahead), day, [total], all.ahead);
  },
  'Falls, newest 100': (all) =>
    rows(
      all.events(FALL, ({ id }) => ({ id })),
      last,
    ),
  'Events per $sums': (all) =>
    series(
      all.events(/./, ({ type }) => ({ type })),
      all.sums,
      [count],
      all.ahead,
    ),
  Activity: (all) => {
    const minutes = all.filled(
      all.measures(/^(walking|standing|sitting|lying)_seconds$/, ['name']),
      60_000,
      total,
    );
    return series(minutes, all.interval, [(values) => mean(values) / 60]);
  },
  'Lying, minutes per $sums': (all) =>
    series(all.measures(/^lying_seconds$/), all.sums, [(values) => total(values) / 60], all.ahead),
  'Speed of the fastest person': (all) =>
    series(
      all
        .people(({ track }) => [Math.round(Math.hypot(track!.velocity.x, track!.velocity.y) * 1e3) / 1e3])
        .map(({ time, environment, values }) => ({ time, tags: { environment }, value: values[0]! })),
      all.interval,
      [most],
    ),
  'Where people are: $environment': (all) => {
    const places = all.people(({ position: { x, y } }) => [x, y]);
    const axis = (index: number) =>
      series(
        places.map(({ time, id, values }) => ({
          time,
          tags: { slot: String(id % 16) },
          value: values[index]!,
        })),
        all.interval,
        [last],
      );
    const [x, y] = [axis(0), axis(1)];
    return Object.fromEntries(
      Object.entries(x).map(([tags, values]) => [tags, values.map((row, at) => [...row, y[tags]![at]![1]!])]),
    );
  },
  'Breathing rate': (all) =>
    series(all.measures(/_bpm$/, ['name', 'source', 'subject', 'slot']), all.interval, [median]),
  'Quality of breathing rates': (all) => series(all.measures(/^breathing_quality$/), all.interval, [mean]),
  'Occupancy by zone, mean per $sums': (all) =>
    series(ofZones(all.measures(/^occupancy_mean$/, ['subject'])), all.sums, [mean], all.ahead),
  'Time in zones, minutes per $sums': (all) =>
    series(
      all.measures(/^zone_seconds$/, ['subject']),
      all.sums,
      [(values) => total(values) / 60],
      all.ahead,
    ),
  'Dwell per visit by zone, per $sums': (all) => {
    const seconds = series(all.measures(/^zone_seconds$/, ['subject']), all.sums, [total], all.ahead);
    const visits = series(all.measures(/^zone_visits$/, ['subject']), all.sums, [total], all.ahead);
    return Object.fromEntries(
      Object.entries(visits).map(([tags, found]) => [
        tags,
        found.map(([time, number]) => [time!, seconds[tags]!.find(([at]) => at === time)![1]! / number!]),
      ]),
    );
  },
  'Signal quality': (all) =>
    series(
      all.frames(({ signalQuality }) => Math.round(signalQuality * 1e4) / 1e4),
      all.interval,
      [mean],
    ),
  'Links used, fewest': (all) =>
    series(
      all.frames((frame) => frame.links),
      all.interval,
      [least],
    ),
  'Frames a second by link': links(/^link_rate_hz$/),
  'Packet loss by link': links(/^packet_loss$/),
  'RSSI and noise by link': links(/^(rssi|noise)_dbm$/, ['subject', 'name']),
  'SNR by link': links(/^snr_db$/),
  'Coverage by link': links(/^link_coverage$/),
  'Links that count': links(/^link_usable$/),
  'Motion by link': (all) => series(ofZones(all.measures(/^motion$/, ['subject'])), all.interval, [mean]),
  'Energy of motion by link': links(/^motion_energy_db$/),
  'Newest values by link': (all) =>
    rows(all.measures(/^(link_|packet_loss|rssi_dbm|noise_dbm|snr_db)/, ['subject', 'name']), last),
  'Newest frame': (all) =>
    rows(
      all.frames(({ frameId }) => frameId),
      last,
    ),
  'Pose frames a second': (all) =>
    series(all.filled(all.frames(peopleIn), 10_000, count), all.interval, [(values) => mean(values) / 10]),
  'Uptime per $sums': (all) =>
    series(
      all.filled(all.measures(/^seconds_with_/), 60_000, total),
      all.sums,
      [(values) => mean(values) / 60],
      all.ahead,
    ),
};

/** Links and zones: without measures of the whole environment. */
const ofZones = (samples: readonly Sample[]): Sample[] =>
  samples.filter(({ tags }) => tags['subject'] !== '');

/**
 * @param ahead of UTC in the view's time zone, milliseconds. @throws Error for a panel without a description
 */
export function truthOf(panel: Panel, records: readonly Data[], view: View, ahead: number): Shown {
  const truth = TRUTHS[panel.title];
  if (!truth) throw new Error(`say in panel-truth.ts what the panel '${panel.title}' shows`);
  return truth(new Records(records, panel, view, ahead));
}

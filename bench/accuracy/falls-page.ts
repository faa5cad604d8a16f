export interface SetReport {
  readonly set: string;
  readonly falls: number;
  readonly others: number;
  readonly methods: readonly MethodReport[];
}

export interface MethodReport {
  readonly method: string;
  readonly auc: number;
  /** 95 % bootstrap over clips. */
  readonly interval: readonly [number, number];
  readonly perPerson: Readonly<Record<string, number>>;
  /** Sensitivity where 5 and 1 % of the other clips raise an alarm. */
  readonly sensitivityAt5: number;
  readonly sensitivityAt1: number;
  /** At the default threshold. */
  readonly sensitivity: number | null;
  readonly falseClips: number | null;
}

/** Results from nets that never saw the judged data. */
export interface LeftOut {
  readonly falls: readonly { readonly log: string; readonly score: number; readonly found: boolean }[];
  /** In the logs of motion and stillness, held out by sixths. */
  readonly motionAndStill: Alarms;
  /** In the parts before and after the falls. */
  readonly besideFalls: Alarms;
  /** The logs of motion and stillness again, each held out whole. */
  readonly wholeLogs: readonly (Alarms & { readonly log: string })[];
}

export interface Alarms {
  readonly candidates: number;
  readonly highest: number;
  readonly alarms: number;
}

export interface FallsReport {
  /** Of the evaluated weights. */
  readonly weightsSha256: string;
  readonly leftOut: LeftOut;
  readonly threshold: number;
  readonly sets: readonly SetReport[];
  /** Of the nets on falls-intel5300-bedroom. */
  readonly thresholds: readonly {
    readonly threshold: number;
    readonly sensitivity: number;
    readonly falseClips: number;
  }[];
  readonly falseByActivity: Readonly<Record<string, number>>;
  readonly quiet: { readonly hours: number; readonly alarms: number } | null;
}

/** The page of a report: `docs/reports/falls.md`. */
export const fallsPage = (report: FallsReport): string =>
  [introduction(report), heldOut(report), heldOutSets(report), threshold(report), limits].join('\n\n') + '\n';

const fixed = (value: number | null, digits = 2): string => (value === null ? '-' : value.toFixed(digits));

const introduction = ({
  sets,
  thresholds,
  threshold,
}: FallsReport): string => `# Accuracy of fall detection on one link

This page shows how well \`detect-falls\` finds falls over one link, on real recordings. For example, at the default threshold it
finds ${fixed(100 * (thresholds.find((one) => one.threshold === threshold)?.sensitivity ?? NaN), 0)} % of ${sets[0]!.falls} falls in a room, of people and with a chip that were not in its training. It was written by
\`csiflow evaluate falls --data recordings\`; the figures are in falls.json beside it. Training, this measurement and the running
operator compute the features with the same code. \`csiflow train falls --data recordings\` reproduces the shipped weights byte
for byte.

## Recordings

| folder | content | licence | used for |
|---|---|---|---|
| captures/esp32-serial | github.com/hhjh79933-sketch/wifi_csi: one ESP32-S3 link, one person, one room; six falls (stand, fall, lie), a minute of motion, a minute of stillness | MIT | training, and testing when held out |
| labelled/esp32-continuous | github.com/GeoTecINIT/stability-csi-har: one ESP32 link, one person; sitting, standing up, walking, turning | Apache-2.0 | training, as examples without falls |
| labelled/falls-intel5300-bedroom | another chip, room and other people, four of whom fall | evaluation only | testing |
| labelled/falls-rpi4-amplitude | another chip, two people, amplitudes without timestamps | evaluation only | testing |`;

const heldOut = ({ leftOut, threshold }: FallsReport): string => `## Held out of training in turn

Each fall is judged by nets that were trained without its log, and without a sixth (ten seconds) of each log of motion and
stillness. The same nets judge these sixths. A score of ${fixed(threshold)} or more raises an alarm. All recordings show one person in one
room, so the training contains examples similar to those held out.

| fall | score | found |
|---|---|---|
${leftOut.falls.map(({ log, score, found }) => `| ${log} | ${fixed(score)} | ${found ? 'yes' : 'no'} |`).join('\n')}

| others, held out | candidates | highest score | alarms |
|---|---|---|---|
${[
  alarmsRow('motion and still, by sixths', leftOut.motionAndStill),
  alarmsRow('before and after the falls, with them', leftOut.besideFalls),
  ...leftOut.wholeLogs.map((whole) => alarmsRow(`${whole.log}, the whole log at once`, whole)),
].join('\n')}

The last rows are harder. Without the whole log of motion, the training contains no vigorous motion without a fall, so the nets
mistake every strong burst for a fall. Training data must include vigorous motion.

### What was tried against the one false alarm

With the input noise of the study (0.4 standard deviations) and a threshold of 0, one candidate in the log of motion (at
14.75 s) scored 0.97, and fall_01 scored 0.92: no threshold separates them. These variants were compared on the recordings held out
as above, before the first test on falls-intel5300-bedroom (three nets each, so a few tenths are chance):

| variant | falls, lowest | motion and still, highest | highest if all motion is held out |
|---|---|---|---|
| noise 0.4, unchanged | 0.99 | 0.62 | 8.6 |
| inputs clipped at 2 instead of 4 deviations | 1.14 | 0.22 | 7.0 |
| weight decay 0.01; 0.03 | 0.24; 0.09 | 1.36; 1.59 | 5.8; 4.3 |
| 150 steps instead of 400 | 0.61 | 2.11 | 6.5 |
| 4 units instead of 12 | -0.20 | 2.68 | 5.7 |
| **noise 0.7** | **2.01** | **-0.41** | 5.6 |
| noise 0.7, another seed | 1.99 | 0.11 | 5.8 |
| noise 0.7 and weight decay 0.01; 150 steps | 0.94; 1.18 | 0.57; 0.78 | 5.2; 5.8 |
| noise 1.0; 1.4; 2.0 | 1.57; 0.76; 0.01 | 0.29; 0.51; 0.44 | 2.7; 1.8; 1.0 |

More noise prevents the nets from relying on a few of the twelve features, and 0.7 gave the widest gap. It was chosen on the same
few candidates that the table shows, so the table does not predict other recordings. Seeds and more nets change little: with
all twelve nets, seeds 1, 2 and 3 give 1.95, 1.98 and 1.85 for the lowest fall, and -0.26, -0.38 and -0.35 for the highest of the others.

Three other ideas were dropped:

- **The rule as one more member.** It ranks that candidate (1.21) above fall_01 (0.52).
- **A threshold from ordinary candidates held out in turn.** No threshold separates two scores in the wrong order.
- **A veto if the person still moves afterwards** (coherence over 0.6). It separates the two, but costs 0.04 of AUC on
  falls-intel5300-bedroom.`;

const alarmsRow = (what: string, { candidates, highest, alarms }: Alarms): string =>
  `| ${what} | ${candidates} | ${fixed(highest)} | ${alarms} |`;

const heldOutSets = ({
  sets,
  falseByActivity,
  quiet,
}: FallsReport): string => `## Chips, rooms and people not in training

The score of a clip is the highest score of its candidates, averaged over antennas. se@5 % is the sensitivity at which 5 % of
the other clips raise an alarm. Brackets contain the 95 % interval by bootstrap over clips, which does not reflect the small
number of people and rooms. Noise floors are learnt causally, from the clips played before.

| set | method | ROC AUC | se@5 % | se@1 % | sensitivity at the default | false clips at the default | AUC per person |
|---|---|---|---|---|---|---|---|
${sets.flatMap(rowsOf).join('\n')}

At the default threshold, these shares of the clips of falls-intel5300-bedroom are mistaken for a fall:
${Object.entries(falseByActivity)
  .map(([name, value]) => `${name} ${fixed(100 * value, 1)} %`)
  .join(', ')}.
${quiet ? `Alarms in ${fixed(quiet.hours, 2)} h of quiet lying and sitting: ${quiet.alarms}.` : ''}`;

const rowsOf = ({ set, falls, others, methods }: SetReport): string[] =>
  methods.map((m) => {
    const people = Object.entries(m.perPerson).map(([person, auc]) => `${person} ${fixed(auc)}`);
    const auc = `${fixed(m.auc, 3)} (${fixed(m.interval[0], 3)}-${fixed(m.interval[1], 3)})`;
    return [
      `| ${set.replace('labelled/', '')} (${falls} falls, ${others} other clips) | ${m.method} | ${auc}`,
      ...[m.sensitivityAt5, m.sensitivityAt1, m.sensitivity, m.falseClips].map((value) => fixed(value)),
      `${people.join(', ')} |`,
    ].join(' | ');
  });

const threshold = (report: FallsReport): string => `## The default threshold

The default is ${fixed(report.threshold)}: about 5 % of the action clips above raise an alarm, and all six held-out falls score higher. Both
were known when it was chosen, so its row is a description, not a test.

| threshold | sensitivity | false clips |
|---|---|---|
${report.thresholds.map((t) => `| ${fixed(t.threshold, 1)} | ${fixed(t.sensitivity)} | ${fixed(t.falseClips, 3)} |`).join('\n')}

If help is near and a false alarm is cheap, use 0. If alarms wake people, use 2, or \`room_quantile\`, which learns the ordinary
life of the room. During \`warm_up_ms\` the threshold is raised by 2, because noise floors learnt only from motion are too high: after
a cold start, the log of motion has one candidate of 2.4 (held out of training), and the six falls score 1.8 to 5.7. One of them
is therefore missed in the first minute.`;

const limits = `## Several links

Other nets judge two links or more together: see [falls-several-links.md](falls-several-links.md). Only the rule still averages
links, weighted by the power of the motion relative to each link's noise floor.

## Limits

- The clips are a stress test (one action every 15 s, many of them pick-ups and squats), so they give no rate of false alarms per day.
- falls-rpi4-amplitude is expected to fail, and does: its falls are the calmest of its classes, and it has no timestamps (100 rows per second were assumed).
- The twelve features, their widths in time and the rule come from a study that had used all these sets. The 400 training steps were chosen with falls-intel5300-bedroom known. Without such choices (30 features), the study reached 0.944 there, so expect slightly less elsewhere than the table shows.
- No person or room of falls-intel5300-bedroom was in training. In the section on held-out falls, training and test have the same person and room.
- Slow falls, falls while walking, falls of elderly people, and several people in a room were not measured.`;

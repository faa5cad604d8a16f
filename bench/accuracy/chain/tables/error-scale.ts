import type { PersonConfig } from '../../../../pipeline/sources/simulator/script.js';
import { located, poseFramesIn, type Located } from '../answers.js';
import { allOver, meanOver } from '../bootstrap.js';
import type { Fault } from '../inputs.js';
import { each, howCalibrated, playIn, plannedRoom, seedsOf, type Plan, type PlannedRoom } from '../plan.js';
import type { Column, Row, Table } from '../table.js';

const FIFTHS = [1, 2, 3, 4, 5] as const;
export const SCALE_COLUMNS: readonly Column[] = [
  ...FIFTHS.flatMap((fifth): Column[] => [
    { id: `told${fifth}`, title: `${fifth}. fifth: reported`, unit: 'm' },
    { id: `real${fifth}`, title: 'real', unit: 'm' },
  ]),
  { id: 'off', title: 'largest deviation of a fifth', unit: 'share' },
];
const COLUMNS: readonly Column[] = [
  ...SCALE_COLUMNS,
  { id: 'place', title: 'position, mean error', unit: 'm' },
  { id: 'abstained', title: 'frames without an answer', unit: 'share' },
];

const VARIANTS: readonly { readonly name: string; readonly fault: Fault | null }[] = [
  { name: 'all links good', fault: null },
  { name: 'one link delivers noise', fault: 'noise' },
  { name: 'one link is dead', fault: 'dead' },
];

/** Someone walks, sits and stands. */
const SCRIPT: PersonConfig['script'] = [
  { activity: 'walk', seconds: 25 },
  { activity: 'sit', seconds: 15 },
  { activity: 'get_up' },
  { activity: 'walk', seconds: 10 },
  { activity: 'stand', seconds: 15 },
];
const SECONDS = 65;
const SETTLED_US = 5e6;

export async function errorScale(plan: Plan): Promise<Table> {
  const links = plan.links[0]!;
  const rooms = await each(plan, seedsOf(plan, 5), async (seed) => {
    const room = await plannedRoom(plan, seed, links);
    const lives: Located[] = [];
    for (const variant of VARIANTS) lives.push(await liveIn(plan, room, variant));
    return lives;
  });
  const rows = VARIANTS.map(({ name }, index) =>
    rowOf(
      name,
      rooms.map((lives) => lives[index]!),
    ),
  );
  return {
    id: 'errors',
    title: 'The reported error',
    method: `${plan.rooms} rooms a row with ${links} links, ${howCalibrated(plan)}. One person walks, sits, walks and stands for ${SECONDS} s. Frames are sorted by their reported error, and divided into fifths. A bad link delivers white noise of the same power as before; a dead link sends nothing.`,
    columns: COLUMNS,
    rows: [
      ...rows,
      {
        name: "the room's middle",
        baseline: true,
        cells: { place: meanOver(rooms.map(([clean]) => clean!.middle)) },
      },
    ],
  };
}

async function liveIn(
  plan: Plan,
  room: PlannedRoom,
  { name, fault }: (typeof VARIANTS)[number],
): Promise<Located> {
  const { links } = room.environment;
  const link = links[room.seed % links.length]!.id;
  const observed = await playIn(plan, room, name, {
    people: [{ script: SCRIPT }],
    seconds: SECONDS,
    bad: fault ? { link, fault } : null,
  });
  const poseFrames = poseFramesIn(observed, observed.start + SETTLED_US, observed.end);
  return located(poseFrames, observed.truth, room.environment);
}

/** Mean reported and real error of each fifth, and their largest deviation. */
const SCALE = ['off', ...FIFTHS.flatMap((fifth) => [`told${fifth}`, `real${fifth}`] as const)] as const;

type Scale = Record<(typeof SCALE)[number], number>;

const rowOf = (name: string, rooms: readonly Located[]): Row => ({
  name,
  baseline: false,
  cells: {
    ...scaleCells(rooms),
    place: meanOver(rooms.map(({ answers }) => answers.map(({ real }) => real))),
    abstained: meanOver(rooms.map(({ abstained }) => abstained)),
  },
});

/** The cells of {@link SCALE_COLUMNS}. */
export const scaleCells = (rooms: readonly Located[]): Row['cells'] =>
  allOver(rooms, SCALE, (drawn) => scaleOf(drawn.flatMap(({ answers }) => answers)));

/** The largest deviation is that of a fifth's real error from its reported one, as a share of the latter. */
function scaleOf(answers: Located['answers']): Scale {
  const sorted = [...answers].sort((a, b) => a.told - b.told);
  const at = (fifth: number) => Math.floor((fifth * sorted.length) / FIFTHS.length);
  const scale = { off: -Infinity } as Scale;
  for (const fifth of FIFTHS) {
    const part = sorted.slice(at(fifth - 1), at(fifth));
    const sum = (of: (answer: Located['answers'][number]) => number) =>
      part.reduce((all, answer) => all + of(answer), 0);
    const [told, real] = [sum((answer) => answer.told), sum((answer) => answer.real)];
    scale[`told${fifth}`] = told / part.length;
    scale[`real${fifth}`] = real / part.length;
    scale.off = Math.max(scale.off, Math.abs(real / told - 1));
  }
  return scale;
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { linesChanged } from '../../api/web/page/environment/lines.js';
import { edited } from '../../api/web/page/environment/yaml-edit.js';

const TEXT = `# Measured by Ada.
id: ward   # of the third floor
size: { x: 5, y: 4.50, z: 2.5 } # inner
links:
  # At the door.
  - { id: south, transmitter: [0.1, 0.1, 1], receiver: [4.9, 0.1, 1.5], sender: "node-1" }
  - id: north # in a block
    transmitter: [0.1, 3.9, 1]
    receiver:
      - 4.9
      - 3.9 # measured twice
      - 1.5

    sender: node-2
walls: [] # none yet
zones:
  - { id: bed, kind: pet, max_height: 0.8, polygon: [[0.5, 1], [2.5, 1], [2.5, 2.4]] }
  # The last one.
  - id: sofa
    polygon:
      - [3, 3]
      - [5, 3]
      - [5, 4]
# The end.
`;

interface Zone {
  id: string;
  kind?: string;
  max_height?: number;
  polygon: number[][];
}
interface Room {
  id: string;
  name?: string;
  size: Record<string, number>;
  links: Record<string, unknown>[];
  walls: object[];
  zones: Zone[];
}
const ROOM = parse(TEXT) as Room;
const comments = (text: string) => text.match(/#.*$/gm) ?? [];

/** The text after a change, which must say what the changed objects say, with all comments. */
function after(next: Room, text = TEXT, before = ROOM): string {
  const changed = edited(text, before, next);
  expect(parse(changed)).toEqual(JSON.parse(JSON.stringify(next)));
  return changed;
}

test('nothing changes but the characters of a changed value', () => {
  expect(after({ ...ROOM, size: { ...ROOM.size, x: 6.25 } })).toBe(TEXT.replace('x: 5', 'x: 6.25'));
  expect(edited(TEXT, ROOM, structuredClone(ROOM))).toBe(TEXT);
});

test('a value in a list of lines changes in its line', () => {
  const [south, north] = ROOM.links;
  const moved = { ...north!, receiver: [4.9, 3.5, 1.5] };
  expect(after({ ...ROOM, links: [south!, moved] })).toBe(TEXT.replace('- 3.9 #', '- 3.5 #'));
});

test('the first item of an empty list becomes a line of its own', () => {
  const wall = { from: [1, 0], to: [1, 2] };
  expect(after({ ...ROOM, walls: [wall] })).toBe(
    TEXT.replace('walls: []', 'walls:\n  - { from: [1, 0], to: [1, 2] }'),
  );
});

test('a new item is a line after the last one, and before the comment that ends the file', () => {
  const zone: Zone = {
    id: 'rug',
    kind: 'restricted',
    polygon: [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
  };
  const text = after({ ...ROOM, zones: [...ROOM.zones, zone] });
  expect(linesChanged(TEXT, text)).toEqual([
    { sign: '+', number: 24, text: '  - { id: rug, kind: restricted, polygon: [[0, 0], [1, 0], [1, 1]] }' },
  ]);
});

test.each([0, 1])('item %i is removed with its lines', (index) => {
  const zones = ROOM.zones.filter((_, at) => at !== index);
  const text = after({ ...ROOM, zones });
  expect(comments(text)).toEqual(comments(TEXT));
});

test('the last item leaves an empty list, which the schema allows, instead of nothing', () => {
  const one = after({ ...ROOM, zones: [ROOM.zones[1]!] });
  const before = { ...ROOM, zones: [ROOM.zones[1]!] };
  expect(after({ ...before, zones: [] }, one, before)).toContain('\nzones:\n');
});

test('fields are added to maps of both kinds, and removed', () => {
  const [bed, sofa] = ROOM.zones;
  const plain = { id: bed!.id, polygon: bed!.polygon };
  const text = after({ ...ROOM, name: 'Ward: 3', zones: [plain, { ...sofa!, kind: 'sofa' }] });
  expect(linesChanged(TEXT, text).map((line) => line.sign + line.text.trim())).toEqual([
    '-- { id: bed, kind: pet, max_height: 0.8, polygon: [[0.5, 1], [2.5, 1], [2.5, 2.4]] }',
    '+- { id: bed, polygon: [[0.5, 1], [2.5, 1], [2.5, 2.4]] }',
    '+kind: sofa',
    '+name: "Ward: 3"',
  ]);
});

test('a corner is added between others, and removed', () => {
  const [bed, sofa] = ROOM.zones;
  const wider = (zone: Zone) => ({ ...zone, polygon: [zone.polygon[0]!, [4, 2], ...zone.polygon.slice(1)] });
  const before = { ...ROOM, zones: [wider(bed!), wider(sofa!)] };
  const text = after(before);
  expect(after(ROOM, text, before)).toBe(TEXT);
});

test('words that YAML reads otherwise are quoted', () => {
  const names = ['no', 'true', '12', 'a: b', '# x', 'Küche', "it's", 'null', ' x'];
  for (const name of names) after({ ...ROOM, name });
});

test('a value from an anchor is written out where it differs', () => {
  const text = `size: &s { x: 1, y: 2 }\nother: *s\n`;
  const before = parse(text) as { size: object; other: object };
  expect(edited(text, before, { ...before, other: { x: 3, y: 2 } })).toBe(
    'size: &s { x: 1, y: 2 }\nother: { x: 3, y: 2 }\n',
  );
});

test('any sequence of changes says what was changed, and keeps all comments outside of removed items', () => {
  const metre = fc
    .double({ min: 0, max: 9, noNaN: true, noDefaultInfinity: true })
    .map((m) => Math.round(m * 100) / 100);
  const corner = fc.tuple(metre, metre).map((pair): number[] => pair);
  const zone = fc.record(
    {
      id: fc.stringMatching(/^[a-z]{1,8}$/),
      polygon: fc.array(corner, { minLength: 3, maxLength: 5 }),
      kind: fc.constantFrom('bed', 'sofa'),
      max_height: metre,
    },
    { requiredKeys: ['id', 'polygon'] },
  );
  const step = fc.oneof(
    fc.tuple(fc.constant('add' as const), zone, fc.nat()),
    fc.tuple(fc.constant('change' as const), zone, fc.nat()),
    fc.tuple(fc.constant('remove' as const), zone, fc.nat()),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
      let [text, room] = [TEXT, ROOM];
      for (const [action, made, at] of steps) {
        const index = room.zones.length === 0 ? 0 : at % room.zones.length;
        const zones =
          action === 'add'
            ? [...room.zones, made as Zone]
            : action === 'remove'
              ? room.zones.filter((_, one) => one !== index)
              : room.zones.map((one, other) => (other === index ? (made as Zone) : one));
        text = after({ ...room, zones }, text, room);
        room = { ...room, zones };
      }
      const kept = comments(TEXT).filter((comment) => !/last one/.test(comment));
      expect(comments(text)).toEqual(expect.arrayContaining([...kept]));
    }),
    { numRuns: 30 },
  );
});

test('changed lines are found, also in the middle', () => {
  expect(linesChanged('a\nb\nc\nd', 'a\nx\nc\ny\nd')).toEqual([
    { sign: '-', number: 2, text: 'b' },
    { sign: '+', number: 2, text: 'x' },
    { sign: '+', number: 4, text: 'y' },
  ]);
});

test('a value in several lines is replaced without the line behind it', () => {
  const text = TEXT.replace('size:', 'name: |\n  The ward\n  of Ada\nsize:');
  const before = parse(text) as Room;
  after({ ...before, name: 'Ward 3' }, text, before);
});

test.each(['removed', 'added before'])('a dash in a comment between an item and its dash: one %s', (how) => {
  const text = `${TEXT.slice(0, TEXT.indexOf('links:'))}links: []
walls: []
zones:
  - { id: bed, polygon: [[0, 0], [1, 0], [1, 1]] }
  - # screwed to the floor - do not move
    id: sofa
    polygon: [[3, 3], [5, 3], [5, 4]]
  - { id: rug, polygon: [[3, 3], [5, 3], [5, 4]] }
`;
  const before = parse(text) as Room;
  const [bed, sofa, rug] = before.zones as [Zone, Zone, Zone];
  const zones = how === 'removed' ? [bed, rug] : [bed, { ...rug, id: 'mat' }, sofa, rug];
  const changed = edited(text, before, { ...before, zones });
  expect((parse(changed) as Room).zones).toEqual(zones);
  expect(changed.includes('screwed to the floor - do not move')).toBe(how !== 'removed');
});

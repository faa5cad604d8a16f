import { describe, expect, test } from 'vitest';
import { layOut } from '../../pipeline/config/topology/svg/layout.js';
import { drawSvg } from '../../pipeline/config/topology/svg/picture.js';

const box = (id: string) => ({ id, width: 80, height: 40 });
const lines = (...pairs: readonly string[]) =>
  pairs.map((pair) => {
    const [from, to] = pair.split(' ') as [string, string];
    return { from, to };
  });

describe('the layout of a picture', () => {
  test('a box is right of all its inputs, and no box covers another one', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const { middles, width, height } = layOut(
      ids.map(box),
      lines('a b', 'a c', 'a d', 'b e', 'c e', 'a e', 'e f', 'a f'),
    );
    const at = (id: string) => middles.get(id)!;
    for (const pair of ['a b', 'b e', 'a e', 'e f']) {
      const [from, to] = pair.split(' ') as [string, string];
      expect(at(from).x + 80).toBeLessThan(at(to).x);
    }
    const heights = ['b', 'c', 'd'].map((id) => at(id).y).sort((one, other) => one - other);
    expect(heights[1]! - heights[0]!).toBeGreaterThan(40);
    expect(heights[2]! - heights[1]!).toBeGreaterThan(40);
    for (const { x, y } of middles.values()) {
      expect(x).toBeGreaterThan(40);
      expect(x).toBeLessThan(width - 40);
      expect(y).toBeGreaterThan(20);
      expect(y).toBeLessThan(height - 20);
    }
  });

  test('a line that passes a column does not cross the box in it', () => {
    const { middles, bends } = layOut(['a', 'b', 'c'].map(box), lines('a b', 'b c', 'a c'));
    expect(bends.map(({ length }) => length)).toEqual([0, 0, 2]);
    for (const { y } of bends[2]!) expect(Math.abs(y - middles.get('b')!.y)).toBeGreaterThan(20);
  });

  test('a ring, and a line without its boxes, are errors', () => {
    expect(() => layOut(['a', 'b'].map(box), lines('a b', 'b a'))).toThrow('a ring of lines passes');
    expect(() => layOut([box('a')], lines('a b'))).toThrow('a line ends at b, which is not a box');
    expect(() => layOut([box('b')], lines('a b'))).toThrow('a line starts at a, which is not a box');
  });
});

test('a picture shows each text once, escaped', () => {
  const svg = drawSvg({
    title: 'A & B',
    nodes: [
      { id: 'a', label: '<a>', detail: 'udp', kind: 'source' },
      { id: 'b', label: 'b', kind: 'operator' },
      { id: 'c', label: 'c', kind: 'sink' },
    ],
    edges: [
      { from: 'a', to: 'b', label: 'csi' },
      { from: 'a', to: 'c', label: 'csi' },
    ],
  });
  expect([...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual([
    'csi',
    '&lt;a&gt;',
    'udp',
    'b',
    'c',
  ]);
  expect(svg).toContain('<title>A &amp; B</title>');
  expect(svg.match(/marker-end/g)).toHaveLength(2);
});

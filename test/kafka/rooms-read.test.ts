import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasRoom, RoomsRead } from '../../pipeline/kafka/partitions/rooms-read.js';

const messages = (rooms: readonly string[]) => rooms.map((room) => ({ key: Buffer.from(room) }));

test('finds the rooms in the text, and no others', () => {
  const room = fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme-ascii' });
  fc.assert(
    fc.property(fc.uniqueArray(room, { minLength: 1, maxLength: 60 }), fc.nat(59), (rooms, count) => {
      const read = new RoomsRead(rooms);
      const seen = rooms.slice(0, count);
      read.see(messages([...seen, ...seen]));
      expect(rooms.filter((one) => hasRoom(read.text, one))).toEqual(seen);
    }),
  );
});

test('keys that are not rooms, and messages without one, are ignored', () => {
  const read = new RoomsRead(['ward-1']);
  read.see([{ key: null }, ...messages(['stranger', 'ward-10'])]);
  expect(read.text).toBe('');
});

test('the text fits beside an offset, however many rooms a partition has', () => {
  const rooms = Array.from({ length: 5000 }, (_, index) => `ward-${index}`);
  const read = new RoomsRead(rooms);
  read.see(messages(rooms));
  expect(read.text.length).toBeLessThan(3500);
  expect(hasRoom(read.text, 'ward-399')).toBe(true);
});

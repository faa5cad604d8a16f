import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonText, successText } from '../../api/contract/form.js';
import { SharedTexts } from '../../api/contract/shared-texts.js';

test('readers of the same variant of a record share its text', () => {
  const texts = new SharedTexts();
  const [first, second] = [{ number: 1 }, { number: 2 }];
  const textOf = (record: { number: number }, variant: string) =>
    texts.of(record, variant, () => ({ variant, ...record }));
  expect(textOf(first, 'a')).toBe(textOf(first, 'a'));
  expect(textOf(first, 'b').text).toBe('{"variant":"b","number":1}');
  expect(textOf(second, 'a').text).toBe('{"variant":"a","number":2}');
});

test('the number of shared variants of a record is bounded, and all are answered', () => {
  const texts = new SharedTexts();
  const record = {};
  let written = 0;
  const ask = () => {
    for (let variant = 0; variant < 100; variant++) {
      const { text } = texts.of(record, String(variant), () => ({ variant, number: written++ }));
      expect(text).toContain(`"variant":${variant},`);
    }
  };
  ask();
  ask();
  expect(written).toBe(100 + 68);
});

test('a success body is the JSON of its envelope, shared or not', () => {
  const pages = fc.option(fc.record({ page: fc.integer() }), { nil: undefined });
  fc.assert(
    fc.property(fc.object(), pages, fc.string(), (data, pagination, id) => {
      const plain = JSON.parse(JSON.stringify(data)) as object;
      const at = '2026-11-23T20:00:00.000Z';
      for (const given of [data, new JsonText(data)]) {
        const body = { data: given, ...(pagination && { pagination }) };
        expect(JSON.parse(successText('a', body, false, at, id))).toEqual(plain);
        expect(JSON.parse(successText('b', body, true, at, id))).toEqual(plain);
        expect(JSON.parse(successText('b', body, false, at, id))).toEqual({
          success: true,
          data: plain,
          ...(pagination && { pagination }),
          timestamp: at,
          request_id: id,
        });
      }
    }),
  );
});

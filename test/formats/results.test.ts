import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RawBuilder } from '../../pipeline/formats/index.js';
import { results } from '../../pipeline/formats/json/results.js';
import type { Data } from '../../pipeline/model/index.js';
import { toMessage } from '../../sinks/kafka/message.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent, START } from '../support/records.js';

function decode(texts: readonly string[]) {
  const { context, recorded } = testContext();
  const builder = new RawBuilder(texts.length, 'live');
  for (const text of texts) {
    const bytes = Buffer.from(text);
    builder.add(START, bytes, 0, bytes.length, '');
  }
  return { ...results.decoder(context).decode(builder.take()), recorded };
}

const written = (record: Data): string => {
  const message = toMessage(record, 'none', 'test');
  if ('code' in message) throw new Error(message.reason);
  return message.value;
};

test('output of the sink is read back unchanged, to the microsecond, except its processing time', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5_000 }), fc.nat({ max: 4_000_000 }), (index, microseconds) => {
      const time = START + microseconds;
      const records = [
        poseFrame(index, { people: index % 4, time, windowEnd: time + 1, processingMs: 0 }),
        sensedEvent(index, { time }),
        measure(index, { time, value: microseconds / 7 }),
      ];
      expect(decode(records.map(written)).data).toEqual(records);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['json', '{', /JSON/],
  ['result', '{"type":"csi"}', /`type` must be `pose`, `event` or `measure`/],
  ['result', 'null', /`type` must be/],
  ['result', written(measure(1)).replace('"value"', '"wert"'), /value/],
  ['result', written(measure(1)).replace('2023-11-14T', '2023-13-14T'), /`\/timestamp` .*date-time/],
  [
    'event_type',
    written(sensedEvent(1)).replace('"event":"fall_detection"', '"event":"singing"'),
    /`event` must be one of/,
  ],
  ['time', written(measure(1)).replace('22:13:20.100Z', '23:59:60Z'), /ISO 8601/],
  [
    'environment',
    written(measure(1, { environment: 'ward-9' })),
    /`ward-9`, which the topology does not have: add it to `environments`/,
  ],
])(
  'a record that is not a result for this topology (%s) is counted, kept, and blocks nothing',
  (fault, text, reason) => {
    const { data, failed, recorded } = decode([text, written(measure(2))]);
    expect(data).toEqual([measure(2)]);
    expect(failed).toMatchObject([
      { code: `decode.${fault}`, reason: expect.stringMatching(reason) as string },
    ]);
    expect(recorded.dropped).toEqual({ [`malformed_${fault}`]: 1 });
  },
);

import { expect, it } from 'vitest';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { MAX_LOGGED } from '../../pipeline/formats/senders/strangers.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { batchesOf } from './batches.js';

const frame = (node: number, sender: string) => ({
  bytes: encodePairs(
    { node, bins: 64, mhz: 2437, sequence: 1, rssi: -40, noise: -90 },
    new Int8Array(128).fill(1),
  ),
  sender,
});

it('an unknown node is logged once, with the line to add to the environment', () => {
  const { context, recorded } = testContext();
  const decoder = formatNamed('adr018').decoder(context);
  for (const raw of batchesOf(Array(20).fill(frame(7, '10.0.0.7:4000')), 5)) decoder.decode(raw);
  expect(recorded.lines).toMatchObject([
    {
      level: 'warn',
      message:
        'frames from node-7@10.0.0.7:4000 belong to no link of test-room and are dropped. To use them, set ' +
        '`sender: node-7` on a link of the environment file',
    },
  ]);
});

it('a flood of forged senders does not fill the log', () => {
  const { context, recorded } = testContext();
  const decoder = formatNamed('adr018').decoder(context);
  for (let node = 3; node < 200; node++) decoder.decode(batchesOf([frame(node, `10.0.0.${node}:4000`)])[0]!);
  expect(recorded.lines).toHaveLength(MAX_LOGGED);
  expect(recorded.lines.at(-1)!.message).toContain('further unknown senders are counted only');
});

it('a link may name an address without its port', () => {
  const links = [{ ...testContext().context.environments[0]!.links[0]!, sender: '10.0.0.4' }];
  const environment = { ...testContext().context.environments[0]!, links };
  expect(new LinkTable([environment]).bySender('10.0.0.4:49152')?.link).toBe(links[0]);
  expect(new LinkTable([environment]).bySender('10.0.0.5:49152')).toBeUndefined();
});

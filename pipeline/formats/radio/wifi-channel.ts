/** Centre of a 20 MHz channel, MHz; undefined if the number is not a channel of the 2.4 and 5 GHz bands. */
export function channelMhz(channel: number): number | undefined {
  if (channel >= 1 && channel <= 13) return 2407 + 5 * channel;
  if (channel === 14) return 2484;
  return channel >= 32 && channel <= 177 ? 5000 + 5 * channel : undefined;
}

/** Middle of channel 64, which the examples of the Intel 5300's tool used: assumed if records state no channel. */
export const ASSUMED_MHZ = 5320;
export const CHANNEL_UNKNOWN = `the band and channel are unknown: the records do not state them, and ${ASSUMED_MHZ} MHz only stands for them`;

/** Bands of 802.11 in which receivers report CSI, MHz: IEEE 802.11-2020, annex E; 802.11ax-2021. */
const BANDS = [
  [2401, 2495],
  [4900, 7125],
] as const;

/** What is wrong with a channel's centre; undefined if it lies in a band of 802.11. */
export function centreFault(mhz: number): string | undefined {
  if (BANDS.some(([from, to]) => mhz >= from && mhz <= to)) return undefined;
  const bands = BANDS.map(([from, to]) => `${from} to ${to}`).join(' and ');
  return `a centre of ${mhz} MHz is in no band of 802.11 (${bands})`;
}

/**
 * Starts of wider channels: each consists of the first channel and the following ones, 2, 4 or 8 of 20 MHz in
 * total. IEEE 802.11-2020, annex E.
 */
const BLOCKS = [
  { first: 5180, last: 5720 },
  { first: 5745, last: 5885 },
  { first: 5955, last: 7115 },
];

/**
 * Centre of the channel of `width` MHz that contains the 20 MHz channel around `mhz`. At 2.4 GHz, where that
 * is not fixed, the centre of the 20 MHz channel.
 */
export function wideCentreMhz(mhz: number, width: number): number {
  const block = BLOCKS.find(({ first, last }) => mhz >= first && mhz <= last);
  if (!block) return mhz;
  return block.first + Math.floor((mhz - block.first) / width) * width + width / 2 - 10;
}

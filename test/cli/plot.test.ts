import { decode } from 'fast-png';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT } from '../../pipeline/base/exit.js';
import { drawing, text } from '../../api/cli/recordings/plot/svg.js';
import { writePlot } from '../../api/cli/recordings/plot/write.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { SAMPLES } from '../formats/samples.js';
import { csiflow } from '../support/csiflow.js';

let folder: string;
let log: string;

/**
 * 20 s of a receiver at 50 Hz: the amplitude oscillates at 2 Hz, and nothing arrives from second 12 to 14.
 */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-plot-'));
  log = join(folder, 'evening.log');
  const lines = Array.from({ length: 1000 }, (_, sequence) => {
    const sway = 20 * Math.sin((2 * Math.PI * 2 * sequence) / 50);
    const values = Array.from({ length: 104 }, (_one, i) => Math.round(40 + (i % 20) + (i < 52 ? sway : 0)));
    return encodeLine({ sequence, timeMs: sequence * 20, rssi: -40 }, [values]);
  });
  writeFileSync(log, [...lines.slice(0, 600), ...lines.slice(700)].join('\n'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const textsOf = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text!);

/** The pictures of an SVG, as pixels: amplitude, its colour bar, phase, ... */
const picturesOf = (svg: string) =>
  [...svg.matchAll(/data:image\/png;base64,([^"]+)/g)].map(([, data]) =>
    decode(Buffer.from(data!, 'base64')),
  );

test('inspect --plot draws a recording as SVG, with axes, units and a legend', async () => {
  const plot = join(folder, 'plot.svg');
  const { code, out } = await csiflow('inspect', log, '--plot', plot);
  expect(code).toBe(0);
  expect(out).toContain('900 frames');
  const svg = readFileSync(plot, 'utf8');
  const texts = textsOf(svg);
  for (const expected of [
    'evening.log',
    'esp32-serial-log, esp32-serial  \u00b7  any sender  \u00b7  900 frames in 20 s, usually 50 per second',
    '1 x 1 antennas  \u00b7  52 subcarriers  \u00b7  LLTF  \u00b7  20 MHz at 2437 MHz',
    'subcarrier',
    'radians',
    'frequency, Hz',
    'time, s',
    'frames per second',
    'RSSI, dBm (right)',
    'one gap over 100 ms: 2.0 s',
  ])
    expect(texts).toContain(expected);
});

test('movement at 2 Hz is brightest there, and a gap is left blank', async () => {
  const plot = join(folder, 'sway.svg');
  await csiflow('inspect', log, '--plot', plot);
  const [amplitude, , , , spectrogram] = picturesOf(readFileSync(plot, 'utf8'));
  const { width, height, data } = amplitude!;
  expect(height).toBe(52);
  const isBlank = (second: number): boolean => data[4 * Math.floor((second / 20) * width) + 3] === 0;
  expect([11, 13, 15].map(isBlank)).toEqual([false, true, false]);
  // At 5 s, from 0 Hz at the bottom to 25 Hz.
  const column = Math.floor(spectrogram!.width / 4);
  const brightness = Array.from({ length: spectrogram!.height }, (_, row) => {
    const at = 4 * ((spectrogram!.height - 1 - row) * spectrogram!.width + column);
    return spectrogram!.data[at]! + spectrogram!.data[at + 1]! + spectrogram!.data[at + 2]!;
  });
  const brightest = brightness.indexOf(Math.max(...brightness));
  expect((brightest / spectrogram!.height) * 25).toBeCloseTo(2, 0);
});

test('as PNG it has twice the size, with its text', async () => {
  const plot = join(folder, 'small.png');
  await writePlot(plot, drawing(120, 40, [text(10, 25, 'evening', { size: 16, bold: true })]));
  const { width, height, data, channels } = decode(readFileSync(plot));
  expect([width, height]).toEqual([240, 80]);
  const dark = Array.from({ length: width * height }, (_, i) => data[channels * i]! < 100).filter(Boolean);
  // Letters, and white around them.
  expect(dark.length).toBeGreaterThan(300);
  expect(dark.length).toBeLessThan(3000);
});

test.each(SAMPLES.filter(({ kind }) => kind !== null))(
  'a few frames of $format are drawn too',
  async (sample) => {
    const file = join(folder, `few-${sample.format}`);
    const plot = `${file}.svg`;
    writeFileSync(file, Buffer.concat(sample.records.map((record) => Buffer.from(record))));
    expect((await csiflow('inspect', file, '--plot', plot)).code).toBe(0);
    const svg = readFileSync(plot, 'utf8');
    expect(textsOf(svg)).toContain('too few frames');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  },
);

test('rejects another kind of file, and a sender without frames', async () => {
  expect(await csiflow('inspect', log, '--plot', 'plot.pdf')).toMatchObject({
    code: EXIT.invalid,
    err: expect.stringContaining('--plot writes a .png or a .svg, not plot.pdf') as string,
  });
  expect(await csiflow('inspect', log, '--plot', join(folder, 'x.svg'), '--sender', 'nobody')).toMatchObject({
    code: EXIT.invalid,
    err: expect.stringContaining('contains no frames of nobody') as string,
  });
});

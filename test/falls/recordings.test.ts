import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../operators/window/window.js';
import type { Output } from '../../pipeline/component/index.js';
import { esp32Serial, esp32SerialLog } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { RawBuilder } from '../../pipeline/formats/contract/raw-builder.js';
import type { CsiBlock, SensedEvent, Window } from '../../pipeline/model/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { sharedFile } from '../support/shared.js';

const environments = [{ ...testEnvironment, links: [{ ...testEnvironment.links[0]!, sender: '*' }] }];
const { context } = testContext({ environments, links: new LinkTable(environments) });

/**
 * Logs of one room through the operators of a topology, one after the other: decode, phase-sanitize, window,
 * detect-falls.
 */
function eventsOf(...logs: readonly string[]): SensedEvent[][] {
  const falls = detectFalls.create(withDefaults(detectFalls, {}) as never, context);
  return logs.map((log) =>
    windowsOf(`${folder!}/${log}.txt.gz`).flatMap(
      (one) => (falls.process(one, 'windows') as Output<SensedEvent>).data,
    ),
  );
}

function windowsOf(path: string): readonly Window[] {
  const bytes = gunzipSync(readFileSync(path));
  const { cutter } = esp32SerialLog.open(bytes.subarray(0, 65_536));
  const builder = new RawBuilder(65_536, 'replay');
  cutter.cut(bytes, builder, 0, true);
  const blocks = esp32Serial.decoder(context).decode(builder.take()).data as CsiBlock[];
  const phase = phaseSanitize.create(withDefaults(phaseSanitize, {}) as never, context);
  const windows = window.create(withDefaults(window, {}) as never, context);
  for (const block of blocks) {
    const { data } = phase.process(block, 'log') as Output<CsiBlock>;
    for (const clean of data) void windows.process(clean, 'phase');
  }
  return windows.watermark!(Infinity).data;
}

const ORDER = ['still', 'motion', 'fall_01', 'fall_02', 'fall_03', 'fall_04', 'fall_05', 'fall_06'];
const folder = sharedFile('captures/esp32-serial');

describe.skipIf(folder === undefined)('recordings of an ESP32 through the whole chain', () => {
  // The weights saw these logs in training; `csiflow evaluate --only real-falls` plays held-out ones.
  it('reports each of six falls once, and nothing in stillness and motion, in the order of recording', () => {
    const events = eventsOf(...ORDER).map((found) => found.map(({ type }) => type));
    expect(Object.fromEntries(ORDER.map((log, i) => [log, events[i]]))).toEqual(
      Object.fromEntries(ORDER.map((log) => [log, log.startsWith('fall') ? ['fall_detection'] : []])),
    );
  });

  it('finds a fall before the noise floor is learnt, and reports it', () => {
    const [[event]] = eventsOf('fall_03') as [SensedEvent[]];
    expect(event?.metadata['noise_floor']).toBe('learning');
  });

  it('continues from a snapshot as if it had never stopped', () => {
    const windows = windowsOf(`${folder!}/fall_03.txt.gz`);
    const config = withDefaults(detectFalls, {}) as never;
    const whole = detectFalls.create(config, context);
    const expected = windows.flatMap((one) => (whole.process(one, 'w') as Output<SensedEvent>).data);
    for (const cut of [1, 40, 70, 100]) {
      const first = detectFalls.create(config, context);
      const before = windows
        .slice(0, cut)
        .flatMap((one) => (first.process(one, 'w') as Output<SensedEvent>).data);
      const second = detectFalls.create(config, context);
      second.restore!(structuredClone(first.snapshot!()));
      const after = windows
        .slice(cut)
        .flatMap((one) => (second.process(one, 'w') as Output<SensedEvent>).data);
      expect([...before, ...after]).toEqual(expected);
    }
  });
});

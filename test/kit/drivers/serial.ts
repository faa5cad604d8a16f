import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeLine } from '../../../pipeline/formats/devices/espressif/esp32-serial.js';
import { serial } from '../../../pipeline/sources/serial/serial.js';
import type { SourceDriver } from '../source.js';

/** Output of a receiver: its log, and a line per frame. */
const printed = (count: number): string =>
  Array.from({ length: count }, (_, sequence) => {
    const pairs = Array.from({ length: 104 }, (_one, i) => ((sequence * 31 + i * 17) % 101) - 50);
    return `I (${sequence}) csi: frame\n${encodeLine({ sequence, timeMs: sequence * 10, rssi: -40 }, [pairs])}\n`;
  }).join('');

export const source: SourceDriver = {
  component: serial,
  config: { device: '/dev/ttyUSB0' },
  invalid: [
    {},
    { device: '/dev/ttyUSB0', command: ['cat'] },
    { command: [] },
    { command: 'cat csi.log' },
    { device: '/dev/ttyUSB0', baud: 1 },
    { device: '/dev/ttyUSB0', format: 'csv' },
  ],
  input: async (folder) => {
    const device = join(folder, 'receiver');
    execFileSync('mkfifo', [device]);
    return {
      config: { device, sender: 'node-1', idle_tick_ms: 0 },
      send: async () => {
        const pipe = await open(device, 'w');
        await pipe.writeFile(printed(60));
        await pipe.close();
      },
    };
  },
};

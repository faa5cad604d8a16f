import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  describeBackends,
  loadBackend,
  restoreNodeUtil,
} from '../../operators/infer-pose/backends/backends.js';
import { packageFile } from '../../pipeline/base/paths.js';

describe('backends', () => {
  it('are all listed, missing ones with how to install them', async () => {
    const reports = await describeBackends();
    expect(reports.map(({ name }) => name)).toEqual(['tensorflow-gpu', 'tensorflow', 'webgpu', 'wasm']);
    for (const { available, device, version, note } of reports) {
      expect(note).not.toBe('');
      expect(available).toBe(device !== null && version !== null);
      if (!available) expect(note).toMatch(/npm install|libtensorflow|Vulkan driver/);
    }
  });

  it('without their native part name the command for a CPU and the one for a GPU', async () => {
    const { available, note } = (await describeBackends()).find(({ name }) => name === 'tensorflow-gpu')!;
    if (!available)
      expect(note).toBe(
        '@tensorflow/tfjs-node-gpu lacks its native part. In a checkout, `bash .ci/libtensorflow.sh cpu .` builds it for the CPU, `npm run setup:gpu` for an NVIDIA GPU (3.4 GB).',
      );
    const { scripts } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(scripts['setup:gpu']).toBe('bash .ci/libtensorflow.sh cuda .');
  });

  it('WASM is always available', async () => {
    await expect(loadBackend('wasm')).resolves.toMatchObject({
      name: 'wasm',
      device: 'CPU (SIMD)',
      version: '4.22.0',
    });
  });

  it('that are not installed name how to install them', async () => {
    await expect(loadBackend('tensorflow')).rejects.toThrow(/npm install @tensorflow\/tfjs-node/);
  });

  it('auto reports the reason for its choice', async () => {
    const { name, reason } = await loadBackend('auto');
    if (name === 'wasm') expect(reason).toMatch(/GPU/);
    else expect(reason).toBe('it has a GPU');
  });
});

describe('node:util', () => {
  it('regains what tfjs-node calls and later versions of Node lack', () => {
    const bare: Record<string, (value: unknown) => boolean> = {};
    restoreNodeUtil(bare);
    expect([undefined, null, 0, ''].map((value) => bare['isNullOrUndefined']!(value))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(bare['isArray']!([])).toBe(true);
  });

  it('keeps existing functions', () => {
    const own = () => true;
    const full = { isNullOrUndefined: own, isArray: own };
    restoreNodeUtil(full);
    expect(full.isNullOrUndefined).toBe(own);
  });
});

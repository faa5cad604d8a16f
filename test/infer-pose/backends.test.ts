import { describe, expect, it } from 'vitest';
import {
  describeBackends,
  loadBackend,
  restoreNodeUtil,
} from '../../operators/infer-pose/backends/backends.js';

describe('backends', () => {
  it('are all listed, missing ones with how to install them', async () => {
    const reports = await describeBackends();
    expect(reports.map(({ name }) => name)).toEqual(['tensorflow-gpu', 'tensorflow', 'webgpu', 'wasm']);
    for (const { available, device, version, note } of reports) {
      expect(note).not.toBe('');
      expect(available).toBe(device !== null && version !== null);
      if (!available) expect(note).toMatch(/npm install|setup:gpu|libtensorflow|Vulkan driver/);
    }
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

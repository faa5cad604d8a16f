import type { Registry } from '../component/index.js';

export function topologySchema(registry: Registry): Record<string, unknown> {
  return { title: 'topology', components: registry.list().length };
}

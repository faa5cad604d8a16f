import { randomUUID } from 'node:crypto';
import type { StateStore } from './store.js';

/** The name of the process that owns this state folder in a group of processes; created once. */
export async function memberOf(store: StateStore): Promise<string> {
  const table = store.table('member');
  const known = table.get('id');
  if (known) return known.toString();
  const id = `csiflow-${randomUUID()}`;
  await table.put('id', Buffer.from(id));
  return id;
}

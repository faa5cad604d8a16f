import { plainRecords, type LinkTable } from '../model/index.js';
import { stateKeysOf } from '../runtime/privacy/privacy.js';
import { Outbox, StateStore } from '../state/index.js';
import type { TestRecord } from './outcome.js';
import type { Stand } from './stand.js';

/** By sink, what its outbox still holds after a test. */
export async function outboxesOf(
  stand: Stand,
  topology: string,
  links: LinkTable,
): Promise<ReadonlyMap<string, readonly TestRecord[]>> {
  const { key, formerKey = null } = stateKeysOf(stand.topology.settings);
  const store = new StateStore(stand.stateFolder, topology, key, formerKey);
  try {
    return new Map(
      [...stand.sinks.keys()].map((sink) => [sink, undelivered(new Outbox(store, sink), links)]),
    );
  } finally {
    await store.close();
  }
}

function undelivered(outbox: Outbox, links: LinkTable): readonly TestRecord[] {
  const left: TestRecord[] = [];
  for (let entry = outbox.next(); entry; entry = outbox.next()) {
    for (const record of entry.records) left.push(...plainRecords(record, links));
    outbox.delivered(entry);
  }
  return left;
}

import { signal } from '@preact/signals';
import { goTo, room } from '../state/scene.js';
import { service } from '../state/session.js';
import { wantedSender } from './editing.js';
import { read } from './yaml-edit.js';

/** Senders that csiflow hears and no link names. */
export const senders = signal<readonly string[]>([]);

/** @throws Error of the service */
export async function findSenders(): Promise<void> {
  const id = room.value?.topology ?? '';
  const { data } = await service().rest.GET('/topologies/{id}/links', { params: { path: { id } } });
  senders.value = data!.data.unknown_senders.map(({ sender }) => sender).filter((sender) => sender !== '');
}

/** Opens the editor, which adds a link. @param line of the environment file that names the sender */
export function addLinkOf(line: string): void {
  const { sender } = read(line).toJS() as { readonly sender?: unknown };
  wantedSender.value = String(sender);
  goTo({ view: 'environment' });
}

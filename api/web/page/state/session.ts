import { computed, signal } from '@preact/signals';
import { createClient } from '../../../client/index.js';

const TOKEN = 'csiflow-token';

export const token = signal<string | null>(sessionStorage.getItem(TOKEN));
/** Why a login is asked for again. */
export const loginProblem = signal('');

const clientOf = (credentials: { token: string } | { username: string; password: string }) =>
  createClient({ address: location.origin, form: 'b', credentials });
export type PageClient = ReturnType<typeof clientOf>;

export const client = computed(() => (token.value === null ? null : clientOf({ token: token.value })));

/** The client of who is logged in. @throws Error where nobody is */
export function service(): PageClient {
  if (!client.value) throw new Error('Nobody is logged in');
  return client.value;
}

/** Whether who is logged in may act. The service decides; the page only does not offer what would be refused. */
export const mayAct = computed(() => ['operator', 'admin'].includes(roleOf(token.value)));

function roleOf(text: string | null): string {
  const [, claims] = text?.split('.') ?? [];
  if (claims === undefined) return '';
  const { role } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { role?: string };
  return role ?? '';
}

/** @throws ServiceError in the service's words */
export async function logIn(username: string, password: string): Promise<void> {
  const made = await clientOf({ username, password }).token();
  if (made === null) throw new Error('The service gave no token');
  sessionStorage.setItem(TOKEN, made);
  loginProblem.value = '';
  token.value = made;
}

export function logOut(reason = ''): void {
  sessionStorage.removeItem(TOKEN);
  loginProblem.value = reason;
  token.value = null;
}

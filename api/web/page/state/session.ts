import { computed, signal } from '@preact/signals';
import { createClient } from '../../../client/index.js';

const TOKEN = 'csiflow-token';

export const token = signal<string | null>(sessionStorage.getItem(TOKEN));
/** Why another login is required. */
export const loginProblem = signal('');

const clientOf = (credentials: { token: string } | { username: string; password: string }) =>
  createClient({ address: location.origin, form: 'b', credentials });
export type PageClient = ReturnType<typeof clientOf>;

export const client = computed(() => (token.value === null ? null : clientOf({ token: token.value })));

/** The client of the current user. @throws Error if not logged in */
export function service(): PageClient {
  if (!client.value) throw new Error('Nobody is logged in');
  return client.value;
}

/**
 * Whether the current user may change things. The service enforces it; the page only hides forbidden actions.
 */
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

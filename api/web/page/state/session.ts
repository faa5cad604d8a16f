import { computed, signal } from '@preact/signals';
import { createClient } from '../../../client/index.js';

const TOKEN = 'csiflow-token';

export const token = signal<string | null>(sessionStorage.getItem(TOKEN));
/** Why another login is required. */
export const loginProblem = signal('');

const address = location.origin;
const clientOf = (credentials: { token: string } | { username: string; password: string }) =>
  createClient({ address, form: 'b', credentials });
export type PageClient = ReturnType<typeof clientOf>;

export const client = computed(() => (token.value === null ? null : clientOf({ token: token.value })));

/** The client of the current user. @throws Error if not logged in */
export function service(): PageClient {
  if (!client.value) throw new Error('Nobody is logged in');
  return client.value;
}

/** The client of the current user in Form A, whose errors name all invalid fields. @throws as {@link service} */
export function serviceInFormA() {
  if (token.value === null) throw new Error('Nobody is logged in');
  return createClient({ address, form: 'a', credentials: { token: token.value } });
}

interface Claims {
  readonly role?: string;
  readonly sub?: string;
}

const claims = computed((): Claims => {
  const [, text] = token.value?.split('.') ?? [];
  return text === undefined
    ? {}
    : (JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/'))) as Claims);
});

/**
 * Whether the current user may change things. The service enforces it; the page only hides forbidden actions.
 */
export const mayAct = computed(() => ['operator', 'admin'].includes(claims.value.role ?? ''));
/** Whether the current user may change the configuration, users and keys. */
export const isAdmin = computed(() => claims.value.role === 'admin');
export const userName = computed(() => claims.value.sub ?? '');

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

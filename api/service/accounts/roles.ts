/** Roles; each includes the rights of the previous ones. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Names of users and keys: a regular expression. */
export const NAME_PATTERN = '^[A-Za-z0-9_.@-]{1,64}$';

/** The caller: the subject of a valid token or key. */
export interface Account {
  readonly name: string;
  readonly role: Role;
}

/** Roles, each with the rights of those before it. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who calls: the subject of a valid token or key. */
export interface Account {
  readonly name: string;
  readonly role: Role;
}

import { service } from '../state/session.js';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const PAGE = 100;

/** All pages of a list. */
async function allOf<T>(
  ask: (
    page: number,
  ) => Promise<{ readonly data: readonly T[]; readonly pagination: { readonly total_pages: number } }>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, pagination } = await ask(page);
    found.push(...data);
    pages = pagination.total_pages;
  }
  return found;
}

/** @param look counts changes: each triggers a new request. @throws ServiceError */
export async function usersOf(look: number) {
  const users = await allOf(async (page) => {
    const { data } = await service().rest.GET('/auth/users', {
      params: { query: { page, per_page: PAGE } },
    });
    return data!;
  });
  return { users, look };
}
export type User = Awaited<ReturnType<typeof usersOf>>['users'][number];

/** As {@link usersOf}. */
export async function keysOf(look: number) {
  const keys = await allOf(async (page) => {
    const { data } = await service().rest.GET('/auth/api-keys', {
      params: { query: { page, per_page: PAGE } },
    });
    return data!;
  });
  return { keys, look };
}

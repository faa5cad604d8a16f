import { Type, type Static } from 'typebox';

/** Parameters of Form B's lists. */
export const PageFields = {
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
};

export const PageQuery = Type.Object(PageFields, { additionalProperties: false });
export type PageOf = Static<typeof PageQuery>;

/** Fields of Form B beside the `data` of a list. */
export const PaginationSchema = Type.Object(
  {
    page: Type.Integer(),
    per_page: Type.Integer(),
    total: Type.Integer(),
    total_pages: Type.Integer(),
    has_next: Type.Boolean(),
    has_prev: Type.Boolean(),
  },
  { additionalProperties: false },
);

export const pagination = ({ page, per_page }: PageOf, total: number): Static<typeof PaginationSchema> => {
  const pages = Math.ceil(total / per_page);
  return {
    page,
    per_page,
    total,
    total_pages: pages,
    has_next: page < pages,
    has_prev: page > 1 && pages > 0,
  };
};

/** One page of a list in memory. */
export const pageOf = <T>(items: readonly T[], { page, per_page }: PageOf): readonly T[] =>
  items.slice((page - 1) * per_page, page * per_page);

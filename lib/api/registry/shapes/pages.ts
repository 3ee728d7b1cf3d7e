import * as z from 'zod/mini';

const order = z.object({ field: z.string(), direction: z.string() });
const filter = z.object({ field: z.string(), type: z.string(), val: z.string() });

/** The parameters of the request, and the number of entries before limit and offset; cursors are for clients of v0.6. */
export const pageInfo = z.object({
  order: z.array(order),
  filter: z.array(filter),
  limit: z.int(),
  offset: z.int(),
  total: z.int(),
  hasNextPage: z.boolean(),
  hasPreviousPage: z.boolean(),
  startCursor: z.string(),
  endCursor: z.string(),
});

/** The fields of a list of records: `results` for clients since v0.7, `edges` and `totalCount` for those of v0.6. */
export function paged<T extends z.ZodMiniType>(record: T) {
  return {
    pageInfo,
    results: z.array(record),
    totalCount: z.int(),
    edges: z.array(z.object({ node: record, cursor: z.string() })),
  };
}

/**
 * A query that cannot be evaluated. The message is what existing clients see behind `failed to evaluate jq/js: `
 * (workflow language, 5.5), for example `error in 'x': error in jq query .missing: no results`.
 */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}

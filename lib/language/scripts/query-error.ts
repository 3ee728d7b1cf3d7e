/**
 * A query that cannot be evaluated. Clients see the message after `failed to evaluate jq/js: ` (workflow-language 5.5),
 * for example `error in 'x': error in jq query .missing: no results`.
 */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  /** The script that failed, as `jq(.a)`, where it is known. */
  readonly expression: string | undefined;

  constructor(message: string, expression?: string) {
    super(message);
    this.expression = expression;
  }
}

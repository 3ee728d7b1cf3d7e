import type { CallLimits, RatePlan } from '../../compiler/plan/concurrency.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import type { Item, Table, Write } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import { putAt } from '../storage/batches.ts';
import * as keys from '../storage/keys/concurrency-keys.ts';

/** The limits of a scope of functions. Of a workflow only the first: its revisions have the rate. */
export interface ScopeRules {
  /** How many may be at work; absent: any number. */
  readonly limit?: number;
  /** How many calls may begin within a period; absent: any number. */
  readonly rate?: Pick<RatePlan, 'limit' | 'per'>;
}

/** The limits in the item of a scope, or of a workflow. */
export function rulesIn(item: Item | undefined): ScopeRules {
  const { limit, starts, per }: Partial<Item> = item ?? {};
  return {
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(starts === undefined ? {} : { rate: { limit: Number(starts), per: String(per) } }),
  };
}

/** The limits of the latest revision of a workflow, or of a scope of functions. */
export async function rulesOf(table: Table, owner: string): Promise<ScopeRules> {
  const [item] = await table.get([keys.ownerLimits(owner)]);
  return rulesIn(item);
}

/** As `rulesOf`: the number of places, infinite without a limit. */
export const limitOf = async (table: Table, owner: string): Promise<number> =>
  (await rulesOf(table, owner)).limit ?? Number.POSITIVE_INFINITY;

/** The writes by which the limit of a workflow follows a change of its latest revision. */
function workflowWrites(workflowId: string, before: Plan | undefined, after: Plan): Write[] {
  const key = keys.ownerLimits(workflowId);
  const [old, limit] = [before?.concurrency?.limit, after.concurrency?.limit];
  if (old === limit) return [];
  return [limit === undefined ? { do: 'delete', key } : putAt(key, { limit })];
}

/** The limits of the functions of a plan, by their scopes: of several functions of one scope, those of the last. */
export function scopesOf(plan: Plan | undefined): ReadonlyMap<string, CallLimits> {
  const limited = Object.values(plan?.functions ?? {}).flatMap(({ limits }) => (limits === undefined ? [] : [limits]));
  return new Map(limited.map((limits) => [limits.scope, limits]));
}

/** The most scopes of a workflow: a transaction writes them with its revision. */
const MAX_SCOPES = 20;

/**
 * The writes by which the limits of its scopes are those of a revision that is stored. They outlive its workflow. Throws
 * `invalid` for a plan with too many scopes.
 */
function scopeWrites(namespaceId: string, plan: Plan): Write[] {
  const scopes = [...scopesOf(plan).values()];
  if (scopes.length > MAX_SCOPES) {
    const text = `functions: limits of ${scopes.length} scopes, but a workflow has at most ${MAX_SCOPES}`;
    throw new ServiceError('invalid', `${text}: give functions of one API the same 'scope'`);
  }
  return scopes.map(({ scope, concurrency, rate }) =>
    putAt(keys.ownerLimits(keys.scopeOwner(namespaceId, scope)), {
      ...(concurrency === undefined ? {} : { limit: concurrency.limit }),
      ...(rate === undefined ? {} : { starts: rate.limit, per: rate.per }),
    }),
  );
}

/** The writes by which the limits follow a change of the latest revision of a workflow. Throws `invalid` for too many scopes. */
export function limitWrites(
  { namespace, id }: { readonly namespace: { readonly id: string }; readonly id: string },
  before: Plan | undefined,
  after: Plan,
): Write[] {
  return [...workflowWrites(id, before, after), ...scopeWrites(namespace.id, after)];
}

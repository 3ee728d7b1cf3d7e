import * as secrets from '../../domain/credentials/secrets.ts';
import type { RunnerPorts } from '../ports.ts';
import { evaluate } from './evaluation.ts';
import { failure, StateFailure } from './failures.ts';

/** The values of secrets, by name. Throws the uncatchable `secrets.notFound` for the first that is not there. */
export type SecretReader = (names: readonly string[]) => Promise<Readonly<Record<string, string>>>;

/** Reads the secrets of a namespace, each once. It is made anew for every step, so that a change is noticed. */
export function secretReader(
  ports: Pick<RunnerPorts, 'table' | 'sealer'>,
  { namespaceId }: { readonly namespaceId: string },
): SecretReader {
  const known = new Map<string, Promise<ReadonlyMap<string, string>>>();
  return async (names) => {
    const fresh = [...new Set(names)].filter((name) => !known.has(name));
    if (fresh.length > 0) {
      const reading = secrets.read(ports, namespaceId, fresh);
      for (const name of fresh) known.set(name, reading);
    }
    const values: Record<string, string> = {};
    for (const name of names) {
      const value = (await known.get(name))?.get(name);
      if (value === undefined) throw failure('secrets.notFound', `secret '${name}' not found`);
      values[name] = value;
    }
    return values;
  };
}

/** What stands for every secret where its value is not to be seen. */
const HIDDEN = '***';

const UNTELLABLE = 'the query failed on the value of a secret; what it said may hold the secret, and is not told';

const withSecrets = (data: unknown, values: Readonly<Record<string, string>>): unknown => ({
  ...(data as object),
  secrets: values,
});

/**
 * Evaluates a structured query over data and, under `.secrets`, the values of secrets (workflow-language reference, 6.4).
 * Throws as `evaluate` does. What a failed query says may quote, cut or encode what it saw, so the failure that is told
 * is the one of the same query over the same data without the values: it cannot hold what it never had.
 */
export async function evaluateWithSecrets(
  query: unknown,
  data: unknown,
  values: Readonly<Record<string, string>>,
): Promise<unknown> {
  try {
    return await evaluate(query, withSecrets(data, values));
  } catch (error) {
    if (!(error instanceof StateFailure)) throw error;
    const hidden = Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]));
    await evaluate(query, withSecrets(data, hidden));
    throw new StateFailure(error.kind, error.code, `failed to evaluate jq/js: ${UNTELLABLE}`);
  }
}

import * as secrets from '../../domain/credentials/secrets.ts';
import { setMember } from '../../language/json.ts';
import { ExternalSecretError } from '../../ports/external-secrets.ts';
import type { RunnerPorts } from '../ports.ts';
import { evaluate } from './evaluation.ts';
import { failure, StateError } from './failures.ts';

/**
 * Reads the values of secrets, by name. Throws the uncatchable `secrets.notFound` for the first that does not exist, and
 * `secrets.refused`, `secrets.missing` or `secrets.unavailable` for one that is stored elsewhere and cannot be read.
 */
export type SecretReader = (names: readonly string[]) => Promise<Readonly<Record<string, string>>>;

/** A reader of a namespace's secrets that reads each once. Every step makes its own, so that it sees changes. */
export function secretReader(
  ports: Pick<RunnerPorts, 'table' | 'sealer' | 'settings' | 'externalSecrets'>,
  { namespaceId: id, namespace: name }: { readonly namespaceId: string; readonly namespace: string },
): SecretReader {
  const known = new Map<string, Promise<ReadonlyMap<string, string>>>();
  return async (names) => {
    const fresh = [...new Set(names)].filter((name) => !known.has(name));
    if (fresh.length > 0) {
      const reading = secrets.read(ports, { id, name }, fresh).catch(throwFailure);
      for (const name of fresh) known.set(name, reading);
    }
    const values: Record<string, string> = {};
    for (const name of names) {
      const value = (await known.get(name))?.get(name);
      if (value === undefined) throw failure('secrets.notFound', `secret '${name}' not found`);
      setMember(values, name, value);
    }
    return values;
  };
}

function throwFailure(error: unknown): never {
  throw error instanceof ExternalSecretError ? failure(`secrets.${error.problem}`, error.message) : error;
}

/** The value of every secret in the evaluation whose error is shown. */
const HIDDEN = '***';

const UNSHOWN_ERROR = 'the query failed on the value of a secret; its message may contain the secret and is not shown';

const withSecrets = (data: unknown, values: Readonly<Record<string, string>>): unknown => ({
  ...(data as object),
  secrets: values,
});

/**
 * Evaluates a structured query over data and, under `.secrets`, the values of secrets (workflow-language reference, 6.4).
 * Throws as `evaluate` does. The error of a query may quote, cut or encode a secret. So the query is evaluated again with
 * `***` for every value, and only the error of that is shown; if that succeeds, a fixed text is.
 */
export async function evaluateWithSecrets(
  query: unknown,
  data: unknown,
  values: Readonly<Record<string, string>>,
): Promise<unknown> {
  try {
    return await evaluate(query, withSecrets(data, values));
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const hidden = Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN]));
    await evaluate(query, withSecrets(data, hidden));
    throw new StateError(error.kind, error.code, `failed to evaluate jq/js: ${UNSHOWN_ERROR}`);
  }
}

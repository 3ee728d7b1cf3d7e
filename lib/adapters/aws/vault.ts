import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { parseJson } from '../../language/json-numbers.ts';
import type { Vault } from '../../ports/vault.ts';

/** Where the administrative key is stored. */
export interface ParameterVaultOptions {
  /** The name of the encrypted parameter: a JSON object whose field `apikey` is the administrative key. */
  readonly name: string;
  readonly client?: SSMClient;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** How long a key is used without a read of the parameter, milliseconds. */
const FRESH_MS = 5 * 60_000;
/** A key of this age is still used while the parameter is read, so that no request waits; milliseconds. */
const STALE_MS = 10 * 60_000;
/** A key of this age is used when Parameter Store throttles the read: an account has 40 reads a second; milliseconds. */
const THROTTLED_MS = 60 * 60_000;

const THROTTLES: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'TooManyRequestsException',
  'RequestLimitExceeded',
]);

const isThrottle = (error: unknown): boolean => error instanceof Error && THROTTLES.has(error.name);

interface KnownKey {
  readonly key: string;
  /** When it was read, milliseconds since 1970. */
  readonly at: number;
}

/**
 * The vault in Parameter Store. The key is cached for five minutes, then read again in the
 * background of the requests of the next five minutes; a changed key is used after ten minutes at the latest, unless Parameter Store throttles
 * the read. `adminKey` throws when the parameter is missing or has no key; the next call reads again.
 */
export function parameterVault({ name, client = new SSMClient(), now = Date.now }: ParameterVaultOptions): Vault {
  let known: KnownKey | undefined;
  let reading: Promise<string> | undefined;
  const ageOf = ({ at }: KnownKey): number => now() - at;
  const read = (): Promise<string> => {
    reading ??= readKey(client, name)
      .then((key) => {
        known = { key, at: now() };
        return key;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  return {
    async adminKey() {
      const before = known;
      if (before === undefined) return read();
      if (ageOf(before) < FRESH_MS) return before.key;
      const current = read().catch((error: unknown) => {
        if (isThrottle(error) && ageOf(before) < THROTTLED_MS) return before.key;
        throw error;
      });
      if (ageOf(before) >= STALE_MS) return current;
      // A later request reads again, and waits for it when the key is older.
      current.catch(() => undefined);
      return before.key;
    },
  };
}

async function readKey(client: SSMClient, name: string): Promise<string> {
  const { Parameter: parameter } = await client.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  const key = entryOf(parameter?.Value ?? '');
  if (typeof key !== 'string' || key === '') throw new Error(`the parameter ${name} has no entry apikey`);
  return key;
}

function entryOf(text: string): unknown {
  try {
    const value: unknown = parseJson(text);
    return value !== null && typeof value === 'object' && 'apikey' in value ? value.apikey : undefined;
  } catch {
    // The parser's message quotes the text, and the text is the secret.
    return undefined;
  }
}

import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Vault } from '../../ports/vault.ts';

/** Where the administrative key is stored. */
export interface ParameterVaultOptions {
  /** The name of the encrypted parameter: a JSON object whose field `apikey` is the administrative key. */
  readonly name: string;
  readonly client?: SSMClient;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** How long a key is cached, milliseconds: a changed key is used after this time at the latest. */
const FRESH_MS = 5 * 60_000;

interface CachedKey {
  readonly until: number;
  readonly key: Promise<string>;
}

/**
 * The vault in Parameter Store (architecture, section 8). The key is cached for five minutes. `adminKey` throws when
 * the parameter is missing or has no key; the next call reads again.
 */
export function parameterVault({ name, client = new SSMClient(), now = Date.now }: ParameterVaultOptions): Vault {
  let cached: CachedKey | undefined;
  return {
    adminKey() {
      if (cached !== undefined && now() < cached.until) return cached.key;
      const current: CachedKey = { until: now() + FRESH_MS, key: readKey(client, name) };
      cached = current;
      current.key.catch(() => {
        if (cached === current) cached = undefined;
      });
      return current.key;
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
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && 'apikey' in value ? value.apikey : undefined;
  } catch {
    // The parser's message quotes the text, and the text is the secret.
    return undefined;
  }
}

import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { Vault } from '../../ports/vault.ts';

export interface ParameterVaultOptions {
  /** The name of the encrypted parameter: a JSON object whose entry `apikey` is the administrative key. */
  readonly name: string;
  readonly client?: SSMClient;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A changed key is noticed within this time (milliseconds). */
const FRESH_MS = 5 * 60_000;

interface Reading {
  readonly until: number;
  readonly key: Promise<string>;
}

/**
 * The vault in Parameter Store (architecture, section 8), read at most once in five minutes.
 * @throws Error (adminKey) when the parameter is missing, unreadable or holds no key; the next call reads again.
 */
export function parameterVault({ name, client = new SSMClient(), now = Date.now }: ParameterVaultOptions): Vault {
  let reading: Reading | undefined;
  return {
    adminKey() {
      if (reading !== undefined && now() < reading.until) return reading.key;
      const current: Reading = { until: now() + FRESH_MS, key: readKey(client, name) };
      reading = current;
      current.key.catch(() => {
        if (reading === current) reading = undefined;
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

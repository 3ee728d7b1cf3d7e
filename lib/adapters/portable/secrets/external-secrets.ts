import { isObject, toJson } from '../../../language/json.ts';
import { isNumber, parseJson } from '../../../language/json-numbers.ts';
import { ownMember } from '../../../language/own-members.ts';
import {
  ExternalSecretError,
  type ExternalSecrets,
  type Reference,
  type SecretKind,
} from '../../../ports/external-secrets.ts';

/** Reads what is stored under a name: a text, or a JSON object. Throws ExternalSecretError. */
export type SecretPlace = (name: string) => Promise<unknown>;

/** The options of `externalSecrets`. */
export interface ExternalSecretsOptions {
  /** A kind without a place is refused, with the reason. */
  readonly places: Readonly<Record<SecretKind, SecretPlace | string>>;
  /** Secrets of the service itself, which no namespace may use: `env:APIKEY`. */
  readonly own: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The longest text, bytes: that of a stored secret. */
const MAX_BYTES = 65_536;
/** After an error, a secret is not read again for this time, milliseconds: strangers may cause reads by a webhook. */
const ERROR_MS = 5_000;
/** How many values a process keeps. */
const MAX_KEPT = 1_000;

interface Kept {
  readonly value: Promise<unknown>;
  /** When the reading began, or failed, milliseconds since 1970. */
  at: number;
  hasFailed: boolean;
}

const missing = (reason: string): ExternalSecretError => new ExternalSecretError('missing', reason);

function objectIn(found: unknown): unknown {
  if (typeof found !== 'string') return found;
  try {
    return parseJson(found);
  } catch {
    // The message of the parser quotes the text.
    return undefined;
  }
}

/** The text of a reference in what is stored there. */
function textOf(found: unknown, { field }: Reference): string {
  const object = objectIn(found);
  if (field !== undefined && !isObject(object)) throw missing(`it is no JSON object, so it has no '${field}'`);
  const value = isObject(object) && field !== undefined ? ownMember(object, field) : found;
  const text = isNumber(value) || typeof value === 'boolean' ? toJson(value) : value;
  const what = field === undefined ? 'it' : `its '${field}'`;
  if (typeof text !== 'string' || text === '') throw missing(`${what} is missing, empty or no text`);
  if (Buffer.byteLength(text) > MAX_BYTES) throw missing(`${what} has more than ${MAX_BYTES} bytes`);
  return text;
}

/** The port over places, each of which is read once for all references to one name. */
export function externalSecrets({ places, own, now }: ExternalSecretsOptions): ExternalSecrets {
  const kept = new Map<string, Kept>();
  const isFresh = ({ at, hasFailed }: Kept, maxAgeMs: number): boolean =>
    now() - at < (hasFailed ? ERROR_MS : maxAgeMs);
  const begin = (key: string, read: () => Promise<unknown>): Kept => {
    const begun: Kept = { value: read(), at: now(), hasFailed: false };
    begun.value.catch(() => {
      begun.hasFailed = true;
      begun.at = now();
    });
    kept.delete(key);
    kept.set(key, begun);
    const oldest = kept.size > MAX_KEPT ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return begun;
  };
  return {
    async read(reference, maxAgeMs) {
      const { kind, name } = reference;
      const place = places[kind];
      if (typeof place === 'string') throw new ExternalSecretError('refused', place);
      const key = `${kind}:${name}`;
      if (own.has(key)) throw new ExternalSecretError('refused', 'it belongs to the service itself');
      const known = kept.get(key);
      const { value } = known !== undefined && isFresh(known, maxAgeMs) ? known : begin(key, () => place(name));
      return textOf(await value, reference);
    },
  };
}

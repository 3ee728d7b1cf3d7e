import { readFileSync } from 'node:fs';
import { isObject } from '../../../lib/language/json.ts';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { textOf } from '../../../lib/language/own-members.ts';
import { parseGoDuration } from '../../../lib/time/go-durations.ts';

/** A namespace that follows a branch of a Git repository. */
export interface FollowSettings {
  readonly namespace: string;
  readonly url: string;
  /** The directory of the namespace; absent: as the repository says. */
  readonly path?: string;
  /** Absent: the default branch. */
  readonly branch?: string;
  readonly folder?: string;
  readonly tag?: string;
  readonly prune?: boolean;
  readonly signed?: boolean;
  /** Between two looks at the branch, milliseconds. */
  readonly every: number;
  /** The environment variable with the token for the server of the repository; empty: no token is sent. */
  readonly token?: string;
  /** The environment variable with the secret by which that server signs its webhooks. */
  readonly secret?: string;
}

const DEFAULT_INTERVAL = '1m';
const MIN_INTERVAL_MS = 10_000;
/** A timer of Node with more than 2^31 - 1 ms ends at once. */
const MAX_INTERVAL_MS = 576 * 3_600_000;

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error(`is '${textOf(value)}'; it must be a text`);
}

function variable(value: unknown): string {
  return value === '' ? '' : text(value);
}

function flag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`is '${textOf(value)}'; it must be true or false`);
}

function interval(value: unknown): number {
  const ms = parseGoDuration(text(value));
  if (ms !== undefined && ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS) return ms;
  throw new Error(`is '${textOf(value)}'; it must be a duration of at least 10s and at most 576h, such as 1m`);
}

const MEMBERS: { readonly [Name in keyof FollowSettings]-?: (value: unknown) => FollowSettings[Name] } = {
  namespace: text,
  url: text,
  path: text,
  branch: text,
  folder: text,
  tag: text,
  prune: flag,
  signed: flag,
  every: interval,
  token: variable,
  secret: text,
};

function entryIn(value: unknown, index: number): FollowSettings {
  if (!isObject(value)) throw new Error(`[${index}] is no object with ${Object.keys(MEMBERS).join(', ')}`);
  const given = { every: DEFAULT_INTERVAL, ...value };
  const members = Object.entries(given).map(([name, member]) => {
    const read = Object.entries(MEMBERS).find(([known]) => known === name)?.[1];
    if (read === undefined) {
      throw new Error(
        `[${index}] has '${name}', which is no member; the members are ${Object.keys(MEMBERS).join(', ')}`,
      );
    }
    try {
      return [name, read(member)] as const;
    } catch (error) {
      throw new Error(`[${index}].${name} ${(error as Error).message}`);
    }
  });
  const missing = ['namespace', 'url'].find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) throw new Error(`[${index}] has no ${missing}`);
  return Object.fromEntries(members) as unknown as FollowSettings;
}

/**
 * The namespaces that follow a repository: a list in JSON, or the path of a file with it. The empty text has none. Throws
 * Error with a message for the operator that names the member.
 */
export function followedIn(source: string): readonly FollowSettings[] {
  if (source === '') return [];
  const list = parseJson(source.trimStart().startsWith('[') ? source : readFileSync(source, 'utf8'));
  if (!Array.isArray(list)) throw new Error('it is no list, such as [{"namespace": "shop", "url": "https://…"}]');
  const entries = list.map(entryIn);
  const names = entries.map(({ namespace }) => namespace);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`the namespace '${twice}' follows two repositories`);
  return entries;
}

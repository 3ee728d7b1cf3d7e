import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import * as profiles from './profiles.ts';
import { at, textAt } from './replies.ts';

/** Options of every command that talks to a service. The older names are those of the original's tool. */
export const PLACE_OPTIONS = {
  url: { type: 'string' },
  addr: { type: 'string', short: 'a' },
  key: { type: 'string' },
  auth: { type: 'string', short: 't' },
  profile: { type: 'string', short: 'P' },
} as const;

export const PLACE_NOTES = [
  '--url URL         where the service is (else WEFT_URL, DIREKTIV_ADDR, .direktiv.yaml, the profile); also -a, --addr',
  '--key KEY         the key (else WEFT_KEY, which other users of the machine cannot see); also -t, --auth',
  '-P, --profile P   the profile that `weft login` made (else WEFT_PROFILE, else the one that was logged in last)',
];

export const NAMESPACE_OPTION = { namespace: { type: 'string', short: 'n' } } as const;

export const NAMESPACE_NOTE =
  '-n, --namespace N the namespace (else WEFT_NAMESPACE, DIREKTIV_NAMESPACE, .direktiv.yaml, the profile)';

const HERE = 'http://127.0.0.1:8080';

export interface PlaceValues {
  readonly url?: string | undefined;
  readonly addr?: string | undefined;
  readonly key?: string | undefined;
  readonly auth?: string | undefined;
  readonly profile?: string | undefined;
  /** A list where namespaces are what the command is about, and not where it acts. */
  readonly namespace?: string | readonly string[] | undefined;
}

export interface Place {
  readonly url: string;
  readonly key: string;
  readonly namespace: string | undefined;
}

/**
 * The place that sources name, the first of them before the others. A key goes to no other address than the one that
 * was given with it.
 */
export function choosePlace(sources: readonly profiles.Profile[]): Place {
  const url = toUrl(sources.find((source) => source.url)?.url ?? HERE);
  const isMeant = (source: profiles.Profile) => source.url === undefined || toUrl(source.url) === url;
  return {
    url,
    key: sources.find((source) => source.key && isMeant(source))?.key ?? '',
    namespace: sources.find((source) => source.namespace)?.namespace,
  };
}

/** An address without the slash at its end. Throws UsageError for what is none. */
export function toUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`'${text}' is no address; write it as http://HOST:PORT or https://HOST`);
  }
  return text.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** The first that is a text with something in it. */
const oneOf = (...texts: readonly unknown[]): string | undefined =>
  texts.find((text): text is string => typeof text === 'string' && text !== '');

function profileOf(url?: string, key?: string, namespace?: string): profiles.Profile {
  return {
    ...(url === undefined ? {} : { url }),
    ...(key === undefined ? {} : { key }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

const fromFlags = ({ url, addr, key, auth, namespace }: PlaceValues): profiles.Profile =>
  profileOf(oneOf(url, addr), oneOf(key, auth), oneOf(namespace));

const fromEnvironment = ({ env }: Pick<Terminal, 'env'>): profiles.Profile =>
  profileOf(oneOf(env['WEFT_URL']), oneOf(env['WEFT_KEY']), oneOf(env['WEFT_NAMESPACE']));

/** The names that the original's tool reads. */
const fromOlderEnvironment = ({ env }: Pick<Terminal, 'env'>): profiles.Profile =>
  profileOf(
    oneOf(env['DIREKTIV_ADDR'], env['DIREKTIV_ADDRESS']),
    oneOf(env['DIREKTIV_AUTH'], env['DIREKTIV_API_KEY'], env['DIREKTIV_AUTH_TOKEN'], env['DIREKTIV_TOKEN']),
    oneOf(env['DIREKTIV_NAMESPACE']),
  );

export interface OlderConfig {
  /** Workflow paths are relative to the folder of the file. */
  readonly folder: string;
  readonly all: readonly { readonly id: string; readonly profile: profiles.Profile }[];
}

function toOlderProfile(value: unknown): OlderConfig['all'][number] {
  const key = oneOf(...['auth', 'api-key', 'auth-token'].map((name) => textAt(value, name)));
  const profile = profileOf(oneOf(textAt(value, 'addr')), key, oneOf(textAt(value, 'namespace')));
  return { id: textAt(value, 'id') || textAt(value, 'profile'), profile };
}

function parseOlder(file: string, text: string): OlderConfig {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    throw new UsageError(`${file} is no YAML: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
  const listed = at(value, 'profiles');
  const all = (Array.isArray(listed) && listed.length > 0 ? listed : [value]).map(toOlderProfile);
  return { folder: dirname(file), all };
}

/** The `.direktiv.yaml` of the folder, or of the nearest above it. Throws UsageError for one that is no YAML. */
export async function findOlderConfig(cwd: string): Promise<OlderConfig | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, '.direktiv.yaml');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return parseOlder(file, text);
    if (dirname(folder) === folder) return undefined;
  }
}

/** Throws UsageError unless there is a profile of the name. */
function needProfile(name: string, own: profiles.Profiles, older: OlderConfig | undefined): profiles.Profile {
  const found = Object.hasOwn(own.profiles, name) ? own.profiles[name] : undefined;
  const known = found ?? older?.all.find(({ id }) => id === name)?.profile;
  if (known !== undefined) return known;
  const names = [...Object.keys(own.profiles), ...(older?.all ?? []).map(({ id }) => id)].filter((one) => one !== '');
  const others = names.length === 0 ? '' : `; there are ${names.join(', ')}`;
  throw new UsageError(`there is no profile '${name}': make it with 'weft login --profile ${name}'${others}`);
}

/**
 * The place that a command is about: options, the profile they name, WEFT_URL and its like, the profile that
 * WEFT_PROFILE names, the environment and the file of the original's tool, the profile that was logged in last.
 */
export async function findPlace(values: PlaceValues, terminal: Terminal): Promise<Place> {
  const [own, older] = await Promise.all([profiles.read(terminal), findOlderConfig(terminal.cwd)]);
  const named = (name: string | undefined) => (name ? [needProfile(name, own, older)] : []);
  const current = own.current === undefined ? undefined : own.profiles[own.current];
  return choosePlace([
    fromFlags(values),
    ...named(values.profile),
    fromEnvironment(terminal),
    ...named(terminal.env['WEFT_PROFILE']),
    fromOlderEnvironment(terminal),
    ...(older?.all[0] === undefined ? [] : [older.all[0].profile]),
    ...(current === undefined ? [] : [current]),
  ]);
}

import { dirname, join, relative } from 'node:path';
import { loadAll } from 'js-yaml';
import { ownMember } from '../../../lib/language/own-members.ts';
import { type Options, UsageError } from '../shell/command.ts';
import { readSettings } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import { AWS_IAM } from './aws-iam.ts';
import { findLocalService } from './local-service.ts';
import * as profiles from './profiles.ts';
import { at, textAt } from './replies.ts';

/** The URL of a service that was started here with its default settings. */
export const DEFAULT_URL = 'http://127.0.0.1:8080';

/** The options of every command with a service. The aliases are the names in Direktiv's command line. */
export const TARGET_OPTIONS = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'URL of the service (default: WEFT_URL, DIREKTIV_ADDR, .weft.yaml, the profile)',
  },
  addr: { type: 'string', short: 'a', help: { aliasOf: 'url' } },
  key: {
    type: 'string',
    value: 'KEY',
    help: 'API key; other users of the computer can see it, unlike WEFT_KEY (default: WEFT_KEY, the profile)',
  },
  auth: { type: 'string', short: 't', help: { aliasOf: 'key' } },
  profile: {
    type: 'string',
    short: 'P',
    value: 'NAME',
    help: "profile of 'weft login' (default: WEFT_PROFILE, the last login)",
  },
} as const satisfies Options;

/** The option of every command that acts on one namespace. */
export const NAMESPACE_OPTION = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAME',
    help: 'namespace (default: WEFT_NAMESPACE, DIREKTIV_NAMESPACE, .weft.yaml, the profile)',
  },
} as const satisfies Options;

export interface TargetValues {
  readonly url?: string | undefined;
  readonly addr?: string | undefined;
  readonly key?: string | undefined;
  readonly auth?: string | undefined;
  readonly profile?: string | undefined;
  /** A list if the command takes several namespaces as arguments and acts on none. */
  readonly namespace?: string | readonly string[] | undefined;
}

/** The service and namespace of a command. */
export interface Target {
  readonly url: string;
  readonly key: string;
  readonly namespace: string | undefined;
}

/** A source of the URL, the key and the namespace. */
export interface Source extends profiles.Profile {
  /** The name of the source, for messages: `WEFT_KEY`. */
  readonly name: string;
  /** The options of this command: its key is meant for this command, whatever the URL is. */
  readonly isOption?: boolean;
  /** A file of the working folder, which another person may have written. */
  readonly isOfFolder?: boolean;
}

const withoutEnd = (url: string): string => url.replace(/\/+$/, '').replace(/\/api$/, '');

/**
 * The first URL, key and namespace of the sources. A key from a source with a URL is used only for that URL. A URL that only
 * a file of the working folder names gets the key of that file or of the options; `known` are the URLs of stored profiles.
 * Throws UsageError for an invalid URL, and if the only key may not be sent to the URL.
 */
export function chooseTarget(sources: readonly Source[], known: readonly string[] = []): Target {
  const place = sources.find((source) => source.url);
  const url = toUrl(place?.url ?? DEFAULT_URL);
  const isSame = (other: string | undefined): boolean => other !== undefined && withoutEnd(other) === url;
  const isTrusted =
    [DEFAULT_URL, ...known].some(isSame) || sources.some((one) => !one.isOfFolder && isSame(one.url || undefined));
  const isForUrl = (one: Source): boolean => one.url === undefined || isSame(one.url);
  const keys = sources.filter((source) => source.key && isForUrl(source));
  // A file of the folder gives its own key; with aws-iam it would have the user sign.
  const hasOwnKey = (one: Source): boolean => one.isOfFolder === true && one.key !== AWS_IAM;
  const chosen = keys.find((one) => isTrusted || hasOwnKey(one) || one.isOption === true);
  const [withheld] = keys;
  if (chosen === undefined && withheld !== undefined) {
    throw new UsageError(
      `the key of ${withheld.name} is not sent to ${url}, which only ${place?.name} names; if you trust that address, ` +
        `run 'weft login --url ${url}', or give it with --url or WEFT_URL`,
    );
  }
  return { url, key: chosen?.key ?? '', namespace: sources.find((source) => source.namespace)?.namespace };
}

/** A URL without a slash at its end. Throws UsageError for any other text. */
export function toUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`'${text}' is no URL; write it as http://HOST:PORT or https://HOST`);
  }
  return withoutEnd(text);
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

const fromOptions = ({ url, addr, key, auth, namespace }: TargetValues): Source => ({
  name: '--key',
  isOption: true,
  url: firstText(url, addr),
  key: firstText(key, auth),
  namespace: firstText(namespace),
});

type Environment = Pick<Terminal, 'env'>;

const fromEnvironment = ({ env }: Environment): Source => ({
  name: 'WEFT_KEY',
  url: firstText(env['WEFT_URL']),
  key: firstText(env['WEFT_KEY']),
  namespace: firstText(env['WEFT_NAMESPACE']),
});

/** The variables that Direktiv's command line reads. */
const fromDirektivEnvironment = ({ env }: Environment): Source => ({
  name: 'DIREKTIV_AUTH',
  url: firstText(env['DIREKTIV_ADDR'], env['DIREKTIV_ADDRESS']),
  key: firstText(env['DIREKTIV_AUTH'], env['DIREKTIV_API_KEY'], env['DIREKTIV_AUTH_TOKEN'], env['DIREKTIV_TOKEN']),
  namespace: firstText(env['DIREKTIV_NAMESPACE']),
});

/** The names of the configuration file: ours, and that of Direktiv's command line. The first of a folder counts. */
export const CONFIG_FILES = ['.weft.yaml', '.direktiv.yaml'] as const;

/** The configuration file of a folder. */
export interface FolderConfig {
  /** The folder of the file, to which the paths of workflows are relative. */
  readonly folder: string;
  readonly profiles: readonly { readonly id: string; readonly profile: Source }[];
}

function toFolderProfile(value: unknown, file: string): FolderConfig['profiles'][number] {
  const key = firstText(...['auth', 'api-key', 'auth-token'].map((name) => textAt(value, name)));
  const place = { url: firstText(textAt(value, 'addr')), namespace: firstText(textAt(value, 'namespace')) };
  const profile = { name: file, isOfFolder: true, key, ...place };
  return { id: textAt(value, 'id') || textAt(value, 'profile'), profile };
}

function parseFolderConfig(file: string, name: string, text: string): FolderConfig {
  let value: unknown;
  try {
    // An empty file marks the folder to which paths are relative.
    [value] = loadAll(text);
  } catch (error) {
    throw new UsageError(`${name} is no YAML: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
  const listed = at(value, 'profiles');
  const all = (Array.isArray(listed) && listed.length > 0 ? listed : [value]).map((one) => toFolderProfile(one, file));
  return { folder: dirname(file), profiles: all };
}

/**
 * The configuration file in the folder or the nearest folder above, at most in `root`, the folder of a repository, in which
 * links are not followed. Throws UsageError for an invalid file.
 */
export async function findFolderConfig(cwd: string, root?: string): Promise<FolderConfig | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const name of CONFIG_FILES) {
      const file = join(folder, name);
      const shown = root === undefined ? file : relative(root, file);
      const text = await readSettings(file, { name: shown, followsLinks: root === undefined });
      if (text !== undefined) return parseFolderConfig(file, shown, text);
    }
    if (folder === root || dirname(folder) === folder) return undefined;
  }
}

const fromProfile = (name: string, profile: profiles.Profile): Source => ({
  name: `the profile '${name}'`,
  ...profile,
});

function needProfile(name: string, own: profiles.Profiles, folder: FolderConfig | undefined): Source {
  const found = ownMember(own.profiles, name);
  const known = found ? fromProfile(name, found) : folder?.profiles.find(({ id }) => id === name)?.profile;
  if (known !== undefined) return known;
  const names = [...Object.keys(own.profiles), ...(folder?.profiles ?? []).map(({ id }) => id)].filter(Boolean);
  const others = names.length === 0 ? '' : `; existing profiles: ${names.join(', ')}`;
  throw new UsageError(`no profile '${name}'; create it with 'weft login --profile ${name}'${others}`);
}

/**
 * The target that options and environment select; undefined if another source may count. One that is complete depends on
 * no file, which may be invalid.
 */
function targetWithoutFiles(values: TargetValues, terminal: Environment): Target | undefined {
  const sources = [fromOptions(values), fromEnvironment(terminal)];
  if (values.profile || !sources.some(({ url }) => url)) return undefined;
  const target = chooseTarget(sources);
  return target.key !== '' && target.namespace !== undefined ? target : undefined;
}

/** The target of a command. docs/command-line.md lists the sources in their order. Throws UsageError. */
export async function resolveTarget(values: TargetValues, terminal: Terminal): Promise<Target> {
  const named = targetWithoutFiles(values, terminal);
  return named ?? targetWithFiles(values, terminal);
}

async function targetWithFiles(values: TargetValues, terminal: Terminal): Promise<Target> {
  const [own, folder, local] = await Promise.all([
    profiles.read(terminal),
    findFolderConfig(terminal.cwd),
    findLocalService(terminal),
  ]);
  const named = (name: string | undefined) => (name ? [needProfile(name, own, folder)] : []);
  const current = own.current === undefined ? undefined : ownMember(own.profiles, own.current);
  const sources = [
    fromOptions(values),
    ...named(values.profile),
    fromEnvironment(terminal),
    ...named(terminal.env['WEFT_PROFILE']),
    fromDirektivEnvironment(terminal),
    ...(folder?.profiles[0] === undefined ? [] : [folder.profiles[0].profile]),
    ...(own.current === undefined || current === undefined ? [] : [fromProfile(own.current, current)]),
    // Last: it is named by a folder, and its key is for its own URL alone.
    ...(local === undefined ? [] : [{ ...local, isOfFolder: true }]),
  ];
  return chooseTarget(
    sources,
    Object.values(own.profiles).flatMap(({ url }) => url ?? []),
  );
}

import * as profiles from '../client/profiles.ts';
import { textAt } from '../client/replies.ts';
import { credentialOf, serviceAt } from '../client/service.ts';
import { DEFAULT_URL, toUrl } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  defineVerbs,
  needArguments,
  type Outcome,
  result,
  toTable,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { readInput, type Terminal } from '../shell/terminal.ts';

const DEFAULT_PROFILE = 'default';

/** The key of the option, the environment or the user. Other users of the computer can see the arguments of a program. */
async function keyOf(given: string | undefined, terminal: Terminal): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === '-') return (await readInput(terminal)).toString('utf8').trim();
  const { WEFT_KEY: key = '' } = terminal.env;
  if (key !== '') return key;
  if (!terminal.isInteractive) {
    throw new UsageError('no key given; set WEFT_KEY, or send it to the standard input with --key -');
  }
  return (await terminal.ask('Key: ', { isHidden: true })).trim();
}

/** Stores a profile after the service has accepted the key. */
export const login = defineCommand({
  about: 'Stores the URL of a service and an API key as a profile',
  usage: ['login [--profile NAME] --url URL [--key -] [--namespace NAME]'],
  options: {
    profile: { type: 'string', short: 'P', value: 'NAME', help: `name of the profile (default: ${DEFAULT_PROFILE})` },
    url: { type: 'string', value: 'URL', help: `URL of the service (default: WEFT_URL, ${DEFAULT_URL})` },
    addr: { type: 'string', short: 'a', help: { aliasOf: 'url' } },
    key: {
      type: 'string',
      value: '-',
      help: 'read the API key from the standard input; aws-iam: sign in by IAM (default: WEFT_KEY, else a question)',
    },
    auth: { type: 'string', short: 't', help: { aliasOf: 'key' } },
    namespace: { type: 'string', short: 'n', value: 'NAME', help: 'namespace that is used if none is given' },
  },
  run: async (values, args, terminal) => {
    needArguments('login', [], args);
    const { url: address, addr, key: given, auth, profile = DEFAULT_PROFILE, namespace } = values;
    const url = toUrl(address ?? addr ?? (terminal.env['WEFT_URL'] || DEFAULT_URL));
    const key = await keyOf(given ?? auth, terminal);
    const service = serviceAt({ url, key: credentialOf({ url, key }, terminal.env) }, terminal.signal);
    const version = textAt(await service.call('GET', '/api/version'), 'api');
    const stored = await profiles.read(terminal);
    const added = { [profile]: { url, key: key || undefined, namespace } };
    await profiles.write(terminal, { current: profile, profiles: { ...stored.profiles, ...added } });
    return result(values, { profile, url, version }, () => `logged in to ${url} (${version}) as profile '${profile}'`);
  },
});

const OPTIONS = {} as const;
type Values = ValuesOf<typeof OPTIONS>;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { current, profiles: all } = await profiles.read(terminal);
  const rows = Object.entries(all).map(([name, { url = '', namespace = '', key }]) => {
    return { name, isCurrent: name === current, url, namespace, hasKey: key !== undefined };
  });
  const cells = rows.map(({ name, isCurrent, url, namespace, hasKey }) => {
    return [isCurrent ? '*' : '', name, url, namespace, hasKey ? 'yes' : 'no'];
  });
  return result(values, rows, () => toTable([['', 'NAME', 'URL', 'NAMESPACE', 'KEY'], ...cells]));
}

async function need(name: string, terminal: Terminal): Promise<profiles.Profiles> {
  const stored = await profiles.read(terminal);
  if (Object.hasOwn(stored.profiles, name)) return stored;
  throw new CommandFailedError(`no profile '${name}'; 'weft profiles list' prints them`);
}

async function use(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  await profiles.write(terminal, { ...(await need(name, terminal)), current: name });
  return result(values, { current: name }, () => `using '${name}'`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { current, profiles: all } = await need(name, terminal);
  const rest = Object.fromEntries(Object.entries(all).filter(([other]) => other !== name));
  await profiles.write(terminal, { current: current === name ? undefined : current, profiles: rest });
  return result(values, { deleted: name }, () => `deleted ${name}`);
}

export const profileCommand = defineVerbs({
  about: 'Lists the profiles of login, selects and deletes one',
  usage: ['profiles [list]', 'profiles use NAME', 'profiles delete NAME'],
  notes: ['Profiles are stored in $XDG_CONFIG_HOME/weft/config.json, else in ~/.config/weft/config.json.'],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    use: { takes: ['NAME'], run: use },
    delete: { takes: ['NAME'], run: remove },
  },
});

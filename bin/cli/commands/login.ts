import * as profiles from '../client/profiles.ts';
import { textAt } from '../client/replies.ts';
import { serviceAt } from '../client/service.ts';
import { PLACE_OPTIONS, toUrl } from '../client/target.ts';
import {
  CommandFailedError,
  defineCommand,
  type Outcome,
  runVerb,
  shown,
  toTable,
  UsageError,
  type ValuesOf,
  type Verbs,
} from '../shell/command.ts';
import { readInput, type Terminal } from '../shell/terminal.ts';

const DEFAULT = 'default';
const HERE = 'http://127.0.0.1:8080';

const LOGIN_OPTIONS = { ...PLACE_OPTIONS, namespace: { type: 'string', short: 'n' } } as const;

/** A key in the arguments is seen by all users of the machine, so the standard input is the other way. */
async function keyOf(given: string | undefined, terminal: Terminal): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === '-') return (await readInput(terminal)).toString('utf8').trim();
  const { WEFT_KEY: key = '' } = terminal.env;
  if (key !== '') return key;
  if (!terminal.isInteractive) throw new UsageError('give the key by WEFT_KEY, or by --key - on the standard input');
  return (await terminal.ask('Key: ', { isHidden: true })).trim();
}

/** Keeps an address, a key and a namespace under a name, once the service lets the key in. */
export const login = defineCommand({
  about: 'Keeps the address of a service and a key to it as a profile',
  usage: ['login [--profile NAME] --url URL [--key -] [--namespace N]'],
  notes: [
    '-P, --profile P   the name of the profile (else default)',
    `--url URL         where the service is (else WEFT_URL, else ${HERE}); also -a, --addr`,
    '--key -           reads the key from the standard input (else WEFT_KEY, else it is asked for); also -t, --auth',
    '-n, --namespace N the namespace that is meant where none is named',
  ],
  options: LOGIN_OPTIONS,
  run: async (values, rest, terminal) => {
    if (rest.length > 0) throw new UsageError(`'login' takes no '${rest[0]}'`);
    const { url: address, addr, key: given, auth, profile = DEFAULT, namespace } = values;
    const url = toUrl(address ?? addr ?? (terminal.env['WEFT_URL'] || HERE));
    const key = await keyOf(given ?? auth, terminal);
    const version = textAt(await serviceAt({ url, key }, terminal.signal).call('GET', '/api/version'), 'api');
    const kept = await profiles.read(terminal);
    const made = { url, ...(key === '' ? {} : { key }), ...(namespace === undefined ? {} : { namespace }) };
    await profiles.write(terminal, { current: profile, profiles: { ...kept.profiles, [profile]: made } });
    return shown(values, { profile, url, version }, () => `logged in to ${url} (${version}) as profile '${profile}'`);
  },
});

const OPTIONS = {} as const;
type Values = ValuesOf<typeof OPTIONS>;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { current, profiles: all } = await profiles.read(terminal);
  const told = Object.entries(all).map(([name, { url = '', namespace = '', key }]) => {
    return { name, isCurrent: name === current, url, namespace, hasKey: key !== undefined };
  });
  const cells = told.map(({ name, isCurrent, url, namespace, hasKey }) => {
    return [isCurrent ? '*' : '', name, url, namespace, hasKey ? 'yes' : 'no'];
  });
  return shown(values, told, () => toTable([['', 'NAME', 'URL', 'NAMESPACE', 'KEY'], ...cells]));
}

async function need(name: string, terminal: Terminal): Promise<profiles.Profiles> {
  const kept = await profiles.read(terminal);
  if (Object.hasOwn(kept.profiles, name)) return kept;
  throw new CommandFailedError(`there is no profile '${name}'; 'weft profiles list' tells them`);
}

async function use(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  await profiles.write(terminal, { ...(await need(name, terminal)), current: name });
  return shown(values, { current: name }, () => `using '${name}'`);
}

async function remove(values: Values, [name = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { current, profiles: all } = await need(name, terminal);
  const left = Object.fromEntries(Object.entries(all).filter(([other]) => other !== name));
  const still = current === undefined || current === name ? {} : { current };
  await profiles.write(terminal, { ...still, profiles: left });
  return shown(values, { deleted: name }, () => `deleted ${name}`);
}

const VERBS: Verbs<Values> = {
  list: { takes: [], run: list },
  use: { takes: ['NAME'], run: use },
  delete: { takes: ['NAME'], run: remove },
};

/** What `login` kept. */
export const profileCommand = defineCommand({
  about: 'Lists the profiles that login made, chooses and deletes one',
  usage: ['profiles list', 'profiles use NAME', 'profiles delete NAME'],
  notes: ['Profiles are kept in $XDG_CONFIG_HOME/weft/config.json, else ~/.config/weft/config.json.'],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});

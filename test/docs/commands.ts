import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadAll } from '../../bin/cli/commands/index.ts';
import { COMMON_OPTIONS, type Command } from '../../bin/cli/shell/command.ts';
import { READERS } from '../../cdk/settings/readers.ts';
import { requestProblem } from './requests.ts';

type Problem = string | undefined;
type Words = readonly string[];

const COMMANDS = await loadAll();
const { scripts, version } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly version: string;
};

const first = (problems: readonly Problem[]): Problem => problems.find((problem) => problem !== undefined);

/** Why a command line of `weft`, without that word, cannot be typed; undefined if it can. */
export function weftProblem([name = '', ...words]: Words): Problem {
  if (name === 'help' || name.startsWith('-')) return undefined;
  const command: Command | undefined = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) return `no command '${name}'`;
  const options = Object.entries({ ...command.options, ...COMMON_OPTIONS });
  const isKnown = (flag: string): boolean =>
    options.some(([long, { short }]) => flag === `--${long}` || (short !== undefined && flag === `-${short}`));
  const unknown = words
    .map((word) => word.split('=')[0] ?? '')
    .find((word) => /^--?[a-z]/.test(word) && !isKnown(word));
  if (unknown !== undefined) return `'${name}' has no option '${unknown}'`;
  const [verb] = words;
  const isVerb = command.words.length > 0 && verb !== undefined && /^[a-z]+$/.test(verb);
  return isVerb && !command.words.includes(verb) ? `'${name}' has no '${verb}'` : undefined;
}

/** The values after `-c`: settings of the CDK app that its reader accepts. */
function settingProblem(word: string): Problem {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
  const reader = Object.entries(READERS).find(([key]) => key === name)?.[1];
  if (reader === undefined) return `'${name}' is no setting of the stacks`;
  try {
    reader.read(value);
    return undefined;
  } catch (error) {
    return `${name} ${(error as Error).message}`;
  }
}

/** The options of a script that reads them itself are in its source, or in a file beside it. */
function ownOptionProblem(script: string, words: Words): Problem {
  const file = /\S+\.ts/.exec(script)?.[0] ?? '';
  const source = readFileSync(file, 'utf8');
  const beside = [...source.matchAll(/from '(\.\/[\w-]+\.ts)'/g)].map(([, path = '']) => join(dirname(file), path));
  const sources = [source, ...beside.map((path) => readFileSync(path, 'utf8'))].join('\n');
  const isKnown = (name: string) => new RegExp(`[ {]'?${name}'?: \\{`).test(sources);
  const unknown = words.find((word) => /^--[a-z]/.test(word) && word !== '--help' && !isKnown(word.slice(2)));
  return unknown === undefined ? undefined : `${script} has no option '${unknown}'`;
}

const SCRIPTS: Readonly<Record<string, (words: Words) => Problem>> = {
  weft: weftProblem,
  cdk: (words) => first(words.map((word, at) => (words[at - 1] === '-c' ? settingProblem(word) : undefined))),
};

function scriptProblem(words: Words): Problem {
  const [name = '', ...rest] = words.filter((word) => word !== '-s');
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (script === undefined) return `package.json has no script '${name}'`;
  const own = rest[0] === '--' ? rest.slice(1) : rest;
  if (own.length === 0) return undefined;
  return SCRIPTS[name]?.(own) ?? (name in SCRIPTS ? undefined : ownOptionProblem(script, own));
}

const NPM: Readonly<Record<string, (words: Words) => Problem>> = {
  run: scriptProblem,
  start: () => undefined,
  test: () => undefined,
  ci: () => undefined,
  install: (words) => {
    const archive = words.find((word) => word.endsWith('.tgz'));
    return archive?.includes(version) === false ? `${archive} has another version than ${version}` : undefined;
  },
};

const missingFile = (words: Words): Problem =>
  first(
    words.map((word) => (/^(?:deploy|examples|bin)\//.test(word) && !existsSync(word) ? `no file ${word}` : undefined)),
  );

/** Another program that starts the command line. */
function innerProblem(words: Words): Problem {
  const at = words.indexOf('bin/weft.mjs');
  return at < 0 ? missingFile(words) : weftProblem(words.slice(at + 1));
}

/** The programs of a command line, and what is wrong with the words after one; undefined: nothing. */
const PROGRAMS: Readonly<Record<string, (words: Words) => Problem>> = {
  weft: weftProblem,
  npm: ([verb = '', ...words]) => (NPM[verb] === undefined ? `npm ${verb} is not judged` : NPM[verb](words)),
  curl: requestProblem,
  cp: missingFile,
  podman: missingFile,
  runuser: innerProblem,
};

/** Programs of other projects, whose words no test here can judge. */
export const FOREIGN: Readonly<Record<string, string>> = {
  aws: 'the command line of AWS is not installed',
  cat: 'part of each system',
  date: 'part of each system',
  journalctl: 'part of systemd',
  mkdir: 'part of each system',
  node: 'its program is in the page',
  systemctl: 'part of systemd',
  useradd: 'part of Linux',
};

/** What is wrong with a command; undefined: nothing. */
export function commandProblem([program = '', ...words]: Words): Problem {
  if (Object.hasOwn(PROGRAMS, program)) return PROGRAMS[program]?.(words);
  return Object.hasOwn(FOREIGN, program)
    ? undefined
    : `the program '${program}' is in no table of test/docs/commands.ts`;
}

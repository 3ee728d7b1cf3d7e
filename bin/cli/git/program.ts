import { execFile } from 'node:child_process';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The time for one call of Git. */
const TIMEOUT_MS = 5 * 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The code of the error of Node for more output. */
const TOO_LONG = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

/** Where a hook of Git that calls this program says which repository it works on: that is another one than ours. */
const OF_ANOTHER_REPOSITORY = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
];

/** Git and the programs that it starts need none of the keys. */
const OF_WEFT = /^(?:WEFT|DIREKTIV)_/;

/** Settings of each call: what a repository contains starts no program. */
const SETTINGS = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'submodule.recurse': 'false',
  'gc.auto': '0',
  // Else a user who checks signatures by default gets them in each output.
  'log.showSignature': 'false',
} as const;

/** The origin of the server that a token is for; undefined for ssh and folders. */
export function serverOf(url: string): string | undefined {
  const server = URL.parse(url);
  return server !== null && /^https?:$/.test(server.protocol) ? server.origin : undefined;
}

/** The variable by which the helper below gets the token: other users can see arguments. */
const TOKEN = 'GIT_TOKEN_OF_URL';

const HELPER = `!f() { test "$1" = get && printf 'username=x-access-token\\npassword=%s\\n' "$${TOKEN}"; }; f`;

interface TokenAccess {
  readonly settings: readonly (readonly [key: string, value: string])[];
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * A token for the server of the URL alone: a credential helper, which Git asks by the server that wants credentials. A header
 * in its settings would go along to the server that a redirect names.
 */
function accessTo(url: string, token: string | undefined): TokenAccess {
  const server = serverOf(url);
  if (!token || server === undefined) return { settings: [], variables: {} };
  const key = `credential.${server}.helper`;
  // The empty one removes those of the user, which would store the token.
  const settings = [[key, ''] as const, [key, HELPER] as const];
  return { settings, variables: { [TOKEN]: token } };
}

function environmentOf({ env }: Pick<Terminal, 'env'>, url: string): NodeJS.ProcessEnv {
  const { WEFT_GIT_TOKEN, GIT_CONFIG_COUNT = '0', ...others }: Terminal['env'] = { PATH: process.env['PATH'], ...env };
  const access = accessTo(url, WEFT_GIT_TOKEN);
  const settings = [...Object.entries(SETTINGS), ...access.settings];
  // After those of the user.
  const first = Number(GIT_CONFIG_COUNT);
  const numbered = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${first + n}`, key] as const,
    [`GIT_CONFIG_VALUE_${first + n}`, value] as const,
  ]);
  const kept = Object.entries(others).filter(([name]) => !OF_ANOTHER_REPOSITORY.includes(name) && !OF_WEFT.test(name));
  return {
    ...Object.fromEntries(kept),
    ...access.variables,
    // `ext::` and helpers for other protocols start programs that the URL names.
    GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_SSH_COMMAND: others['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes',
    LC_ALL: 'C',
    GIT_CONFIG_COUNT: String(first + settings.length),
    ...Object.fromEntries(numbered),
  };
}

/** The last line that Git printed as an error, without the prefix; not the one that follows each error of a server. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^(fatal|error): /.test(line));
  const cause = errors.findLast((line) => !line.includes('Could not read from remote repository'));
  const fatal = cause ?? errors.at(-1) ?? lines.at(-1) ?? '';
  return fatal.replace(/^(fatal|error): /, '').trim();
}

const HINTS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /could not read Username|terminal prompts disabled/i,
    'set WEFT_GIT_TOKEN, which is sent to the server of the URL alone, or a credential helper of Git',
  ],
  [/Authentication failed/, 'the server does not accept WEFT_GIT_TOKEN, or what a credential helper of Git has for it'],
  [
    /\b(?:HTTP|error:) 30[1278]\b|unable to update url base from redirection/,
    'the server redirects to another URL; name the repository by that one',
  ],
  [/transport '.+' not allowed/, 'use https, http, ssh or a folder'],
  [/Permission denied \(publickey|Host key verification failed/, 'ssh must work without a question'],
];

/** A call of Git. */
export interface GitCall {
  readonly terminal: Pick<Terminal, 'env' | 'cwd' | 'signal'>;
  /** The URL of the repository, to whose server alone WEFT_GIT_TOKEN is sent. */
  readonly url: string;
  /** The folder of the call; default: the current folder. */
  readonly folder?: string;
  /** The longest output, bytes, and the error of a longer one; default: 1 MiB. */
  readonly most?: { readonly bytes: number; readonly error: Error };
}

/**
 * Calls the program git, without questions and for at most five minutes, and returns its output. Throws UsageError if it is
 * not installed, CommandFailedError with the reason that it prints.
 */
export function git({ terminal, url, folder = terminal.cwd, most }: GitCall, args: readonly string[]): Promise<string> {
  const options = {
    cwd: folder,
    env: environmentOf(terminal, url),
    timeout: TIMEOUT_MS,
    maxBuffer: most?.bytes ?? MAX_OUTPUT_BYTES,
    signal: terminal.signal,
  };
  return new Promise((resolve, reject) => {
    execFile('git', [...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      if (terminal.signal.aborted) return reject(error);
      // Its type has numbers alone, and the codes of Node are texts.
      if (most !== undefined && String(error.code) === TOO_LONG) return reject(most.error);
      if (error.code === 'ENOENT') return reject(new UsageError("the program 'git' is not installed; install it"));
      const reason = error.killed === true ? `no end within ${TIMEOUT_MS / 60_000} minutes` : reasonIn(stderr);
      const hint = HINTS.find(([pattern]) => pattern.test(stderr))?.[1];
      reject(new CommandFailedError(`git ${args[0]}: ${reason}${hint === undefined ? '' : `; ${hint}`}`));
    });
  });
}

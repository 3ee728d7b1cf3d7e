import { spawnSync } from 'node:child_process';
import { commandProblem } from './commands.ts';

/** The variables that readers have set; those that begin a path are the URL of a service. */
const ENV = { WEFT_URL: 'http://127.0.0.1:8080', WEFT_KEY: 'k', URL: 'http://127.0.0.1:8080/', KEY: 'k' };

/**
 * Bash finds no program in a PATH without folders, so that it calls this function with each command after it has replaced the
 * variables, the functions and the quotes. A program in `$(...)` prints a URL.
 */
const RECORDER = `PATH=/none
command_not_found_handle() {
  local IFS=$'\\x1f'
  printf '%s\\x1e' "$*" >&3
  [ "$1" != node ] || echo "$URL"
}
cd() { :; }
`;

/** The commands of a script, each as its words. Nothing is run but the shell itself. Throws for a wrong syntax. */
function commandsOf(script: string): string[][] {
  const stdio = ['pipe', 'ignore', 'pipe', 'pipe'] as const;
  const input = `${RECORDER}${script}`;
  const { stderr, output, error } = spawnSync('/bin/bash', [], {
    cwd: '/',
    env: ENV,
    input,
    stdio: [...stdio],
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  if (/syntax error|unexpected/.test(stderr)) throw new Error(stderr);
  return (output[3] ?? '')
    .split('\x1e')
    .slice(0, -1)
    .map((record) => record.split('\x1f'));
}

/** What is wrong in a script of the documents, and the names of the programs that it runs. */
export function judgeScript(script: string): {
  readonly problems: readonly string[];
  readonly programs: readonly string[];
} {
  const commands = commandsOf(script);
  return {
    problems: commands.flatMap((words) => commandProblem(words) ?? []),
    programs: commands.map(([program = '']) => program),
  };
}

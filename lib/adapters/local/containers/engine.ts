import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** What a command of the engine came to. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What differs between the two engines' command lines. */
interface Dialect {
  /** Answers within a moment where the engine works. */
  readonly check: readonly string[];
  /** Removes containers at once, with the volumes that only they have. */
  readonly remove: readonly string[];
  /** Before each command: nothing but errors of its own, as functions write to the same output. */
  readonly quiet: readonly string[];
}

const DIALECTS = {
  podman: {
    check: ['version', '--format', '{{.Client.Version}}'],
    remove: ['rm', '-f', '-v', '-t', '0'],
    quiet: ['--log-level', 'error'],
  },
  docker: { check: ['version', '--format', '{{.Server.Version}}'], remove: ['rm', '-f', '-v'], quiet: [] },
} as const satisfies Record<string, Dialect>;

type Kind = keyof typeof DIALECTS;

/** The command line of podman or docker. */
export interface Engine {
  readonly kind: Kind;
  readonly program: string;
  readonly remove: readonly string[];
  /** Runs a command to its end; standard input is the bytes given, or empty. */
  run(args: readonly string[], input?: Uint8Array, signal?: AbortSignal): Promise<Ran>;
  /** Starts a command that goes on, in a session of its own: a ^C in the terminal reaches this process only. */
  start(args: readonly string[], stdio: SpawnOptions['stdio']): ChildProcess;
}

const MOST_TEXT = 1_000_000;

function engineOf(kind: Kind, program: string): Engine {
  const { remove, quiet } = DIALECTS[kind];
  return {
    kind,
    program,
    remove,
    start: (args, stdio) => spawn(program, [...quiet, ...args], { stdio: stdio ?? 'pipe', detached: true }),
    run: (args, input, signal) => runToEnd(program, [...quiet, ...args], input, signal),
  };
}

function runToEnd(program: string, args: readonly string[], input?: Uint8Array, signal?: AbortSignal): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: 'pipe',
      detached: true,
      ...(signal && { signal, killSignal: 'SIGKILL' }),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] = (texts[name] + text).slice(-MOST_TEXT);
      });
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => resolve({ code: -1, stdout: '', stderr: error.message }));
    child.once('close', (code) => resolve({ code: code ?? -1, ...texts }));
  });
}

/** The engine that is wanted (`podman`, `docker` or a path of either), else the first that answers; or why there is none. */
export async function findEngine(wanted?: string): Promise<Engine | { readonly problem: string }> {
  const programs = wanted === undefined ? Object.keys(DIALECTS) : [wanted];
  const refusals: string[] = [];
  for (const program of programs) {
    const kind: Kind = /docker[^/]*$/.test(program) ? 'docker' : 'podman';
    const { code, stderr } = await runToEnd(program, DIALECTS[kind].check);
    if (code === 0) return engineOf(kind, program);
    refusals.push(`${program}: ${lastLine(stderr)}`);
  }
  return {
    problem: `container services need podman or docker on this machine: install one of them, or name its program in CONTAINER_ENGINE (${refusals.join('; ')})`,
  };
}

/** What an engine says last is what went wrong. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/** The exit code and the output of a command of the engine. The code is -1 if it could not be started. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The differences between the command lines of the engines. */
interface Dialect {
  /** Succeeds within a moment where the engine works. */
  readonly check: readonly string[];
  /** Removes containers at once, with their anonymous volumes. */
  readonly remove: readonly string[];
  /** Suppresses log lines other than errors, because the output of functions has the same stream. */
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

type EngineKind = keyof typeof DIALECTS;

/** The command line of podman or docker. */
export interface Engine {
  readonly kind: EngineKind;
  readonly program: string;
  /** The arguments that remove containers; their names follow. */
  readonly remove: readonly string[];
  /** Runs a command to its end, with these bytes or nothing as its standard input. The signal kills it. */
  run(args: readonly string[], input?: Uint8Array, signal?: AbortSignal): Promise<CommandResult>;
  /** Starts a command, in a session of its own: a ^C in the terminal does not reach it. */
  start(args: readonly string[], stdio: SpawnOptions['stdio']): ChildProcess;
}

const MAX_OUTPUT = 1_000_000;

/**
 * The wanted engine (`podman`, `docker` or a path of either), or the first of the two that works; else the problem for
 * the user.
 */
export async function findEngine(wanted?: string): Promise<Engine | { readonly problem: string }> {
  const programs = wanted === undefined ? Object.keys(DIALECTS) : [wanted];
  const problems: string[] = [];
  for (const program of programs) {
    const kind: EngineKind = /docker[^/]*$/.test(program) ? 'docker' : 'podman';
    const { code, stderr } = await runToEnd(program, DIALECTS[kind].check);
    if (code === 0) return engineOf(kind, program);
    problems.push(`${program}: ${lastLine(stderr)}`);
  }
  return {
    problem: `container services need podman or docker on this machine: install one of them, or name its program in CONTAINER_ENGINE (${problems.join('; ')})`,
  };
}

/** The last line of an engine's error output, which has the error. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

function engineOf(kind: EngineKind, program: string): Engine {
  const { remove, quiet } = DIALECTS[kind];
  return {
    kind,
    program,
    remove,
    start: (args, stdio) => spawn(program, [...quiet, ...args], { stdio: stdio ?? 'pipe', detached: true }),
    run: (args, input, signal) =>
      runToEnd(program, [...quiet, ...args], { ...(input && { input }), ...(signal && { signal }) }),
  };
}

interface RunOptions {
  readonly input?: Uint8Array;
  readonly signal?: AbortSignal;
}

function runToEnd(
  program: string,
  args: readonly string[],
  { input, signal }: RunOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: 'pipe',
      detached: true,
      ...(signal && { signal, killSignal: 'SIGKILL' }),
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] = (output[name] + text).slice(-MAX_OUTPUT);
      });
    }
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => resolve({ code: -1, stdout: '', stderr: error.message }));
    child.once('close', (code) => resolve({ code: code ?? -1, ...output }));
  });
}

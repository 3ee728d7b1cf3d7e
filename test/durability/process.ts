import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const ROOT = new URL('../..', import.meta.url).pathname;
const RECORDER = new URL('./sync-recorder.mjs', import.meta.url).pathname;
const KEY = 'a-key-of-the-durability-proof';

/** The arguments of Node in the script `start` of package.json. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { scripts: { start: string } };
  const [program, ...args] = scripts.start.split(' ');
  if (program !== 'node') throw new Error(`npm start runs '${scripts.start}', which is not node`);
  return args;
}

/** A running `npm start`. */
export interface Running {
  readonly url: string;
  readonly key: string;
  /** Kills the process with SIGKILL at once. */
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly data: string;
  /** The file of the record of flushes. */
  readonly record: string;
  readonly sync: string;
  /** The file of its error output, which is added; by default that of this process. */
  readonly log?: string;
  /** A further module that is loaded before the service, with its variables of the environment. */
  readonly preload?: { readonly file: string; readonly env: Readonly<Record<string, string>> };
}

async function urlOf(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  if (child.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    const [, url] = /^Weft listening on (\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`the service ended before it was ready: ${lines.join('\n')}`);
}

/** Starts the process that `npm start` starts, with a recorder of its flushes. `kill` works before it is ready, too. */
export function startProcess({ data, record, sync, log, preload }: StartOptions): {
  ready: Promise<Running>;
  /** Its exit code; null after a signal. */
  exited: Promise<number | null>;
  kill(): Promise<void>;
} {
  const preloads = [RECORDER, ...(preload === undefined ? [] : [preload.file])].flatMap((file) => ['--import', file]);
  const child = spawn(process.execPath, [...preloads, ...startArguments()], {
    cwd: ROOT,
    env: {
      ...{ ...process.env, PORT: '0', WEFT_DATA: data, APIKEY: KEY, WEFT_SYNC: sync, SYNC_RECORD: record },
      ...preload?.env,
    },
    stdio: ['ignore', 'pipe', log === undefined ? 'inherit' : openSync(log, 'a')],
  });
  const exit = once(child, 'exit');
  const exited = exit.then(([code]) => code as number | null);
  // It must not outlive a test that fails.
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const kill = async (): Promise<void> => {
    killNow();
    await exit;
    process.removeListener('exit', killNow);
  };
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return { ready: urlOf(child).then((url) => ({ url, key: KEY, kill, signal })), exited, kill };
}

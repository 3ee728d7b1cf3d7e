import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';

const { scripts } = createRequire(import.meta.url)('../../package.json') as { scripts: { start: string } };
/** The flags of Node in `npm start`. */
export const START_FLAGS: readonly string[] = scripts.start.split(' ').slice(1, -1);

const URL_IN_LINE = /listening on (\S+)/;

/** The URL that a child process with the program of `npm start` prints. Its standard output is a pipe. */
export async function untilListening({ stdout }: ChildProcess): Promise<URL> {
  let text = '';
  for await (const chunk of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += String(chunk);
    const url = URL_IN_LINE.exec(text)?.[1];
    if (url !== undefined) return new URL(url);
  }
  throw new Error(`the service ended before it listened: ${text}`);
}

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ownMember } from '../../../lib/language/own-members.ts';
import { sizeText, UsageError } from './command.ts';
import { readInput, type Terminal } from './terminal.ts';

const UNREADABLE: Readonly<Record<string, (name: string) => string>> = {
  ENOENT: (name) => `there is no file '${name}'`,
  EISDIR: (name) => `'${name}' is a folder; give a file`,
  EACCES: (name) => `'${name}' cannot be read: you have no permission for it`,
};

/** The error for a file or folder that the user named, and that cannot be read. */
export function unreadable(name: string, error: unknown): UsageError {
  const { code = '' } = error as NodeJS.ErrnoException;
  return new UsageError((ownMember(UNREADABLE, code) ?? ((file) => `'${file}' cannot be read: ${code}`))(name));
}

/** The bytes of a file that the user named; `-` is the standard input. Throws UsageError for an unreadable file. */
export async function readBytes(terminal: Terminal, file: string): Promise<Buffer<ArrayBuffer>> {
  if (file === '-') return readInput(terminal);
  try {
    return await readFile(resolve(terminal.cwd, file));
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Whether bytes are no text: they hold a control character that no text has, or are not UTF-8. */
function isBinary(bytes: Uint8Array): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
  return !isUtf8(bytes) || /[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/.test(Buffer.from(bytes).toString());
}

/**
 * Prints a value as it is. Asks first if it is no text and the standard output is a terminal. Throws UsageError, which names
 * the `remedy`, if the user cannot be asked or says no.
 */
export async function printValue(terminal: Terminal, bytes: Uint8Array, remedy: string): Promise<void> {
  if (terminal.printsToTerminal === true && isBinary(bytes)) {
    const question = `It is no text (${sizeText(bytes.length)}). Print it? [y/N] `;
    const answer = terminal.isInteractive ? await terminal.ask(question) : '';
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError(`it is no text and was not printed; ${remedy}`);
  }
  await terminal.print(bytes);
}

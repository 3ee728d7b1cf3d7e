import { isUtf8 } from 'node:buffer';
import { lstat, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ownMember } from '../../../lib/language/own-members.ts';
import { createLocator, type Position } from '../../../lib/language/position.ts';
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

const MAX_SETTINGS_BYTES = 1024 * 1024;

/**
 * The text of a file of settings that a folder may have; undefined if it has none that can be read. `name` is for messages.
 * Throws UsageError for a link, unless links are followed, for a device or a pipe, which may have no end, and for more than
 * 1 MB: the folder may be a repository of another person.
 */
export async function readSettings(
  file: string,
  { name = file, followsLinks = false }: { readonly name?: string; readonly followsLinks?: boolean } = {},
): Promise<string | undefined> {
  const found = await (followsLinks ? stat(file) : lstat(file)).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return undefined;
  if (!found.isFile()) {
    const what = found.isSymbolicLink() ? 'a link, which is not followed' : 'no regular file';
    throw new UsageError(`${name} is ${what}; put a file in its place, or delete it`);
  }
  if (found.size <= MAX_SETTINGS_BYTES) return readFile(file, 'utf8').catch(() => undefined);
  throw new UsageError(`${name} has ${sizeText(found.size)}; the most is ${sizeText(MAX_SETTINGS_BYTES)}`);
}

const REPLACEMENT = '\ufffd';

/** Where bytes are no longer UTF-8; undefined for a text in UTF-8. */
export function brokenAt(bytes: Uint8Array): Position | undefined {
  if (isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes).toString();
  const written = Buffer.from(REPLACEMENT);
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, at + 1)) {
    const offset = Buffer.byteLength(text.slice(0, at));
    // The text may contain the character itself.
    if (!written.equals(bytes.subarray(offset, offset + written.length))) return createLocator(text)(at);
  }
  return { line: 1, column: 1 };
}

/** Why a text cannot be used that is not UTF-8, and the mend. */
export const NOT_UTF8 = 'the text is not UTF-8; save the file in that encoding';

/** The text of a file. Throws UsageError, with the place, if it is not UTF-8. */
export function textOf(file: string, bytes: Uint8Array): string {
  const place = brokenAt(bytes);
  if (place !== undefined) throw new UsageError(`${file}:${place.line}:${place.column}: ${NOT_UTF8}`);
  return Buffer.from(bytes).toString();
}

/** The text of a file that the user named; `-` is the standard input. Throws UsageError. */
export const readText = async (terminal: Terminal, file: string): Promise<string> =>
  textOf(file, await readBytes(terminal, file));

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

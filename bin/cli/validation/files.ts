import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { applyMends, type Finding, lint, lintFolder } from '../../../lib/lint/lint.ts';
import { UsageError } from '../shell/command.ts';
import { brokenAt, NOT_UTF8, readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import { toNodePath, workflowFilesBelow } from '../transfer/folder.ts';

/** A file that was validated, and its findings. */
export interface ValidatedFile {
  /** The argument of the command, or the path of the file below a folder that is an argument. */
  readonly file: string;
  /** Undefined: the file cannot be read, which is its only finding. */
  readonly source?: string;
  readonly findings: readonly Finding[];
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true;

/** A file that cannot be read is a finding, so that the other files are validated too. */
function unreadable(file: string, message: string, { line, column } = { line: 1, column: 1 }): ValidatedFile {
  return { file, findings: [{ rule: 'unreadable', severity: 'error', message, line, column }] };
}

async function validateFile(terminal: Terminal, file: string, isOnly: boolean): Promise<ValidatedFile> {
  try {
    const bytes = await readBytes(terminal, file);
    const place = brokenAt(bytes);
    if (place !== undefined) return unreadable(file, NOT_UTF8, place);
    const source = bytes.toString('utf8');
    return { file, source, findings: lint(source) };
  } catch (error) {
    if (isOnly || !(error instanceof UsageError)) throw error;
    return unreadable(file, error.message);
  }
}

const WORKFLOW_FIELD = /^(?:states|functions|start|direktiv_api)\s*:/m;

/** True for a text with the top-level fields of a workflow; a folder may have other YAML files. */
export const isWorkflowText = (text: string): boolean => WORKFLOW_FIELD.test(text);

async function validateFolder({ cwd }: Terminal, folder: string): Promise<ValidatedFile[]> {
  const root = resolve(cwd, folder);
  const texts = new Map<string, { readonly file: string; readonly source: string }>();
  const broken: ValidatedFile[] = [];
  for (const path of await workflowFilesBelow(root)) {
    const bytes = await readFile(join(root, path));
    const source = bytes.toString('utf8');
    if (!isWorkflowText(source)) continue;
    const [file, place] = [join(folder, path), brokenAt(bytes)];
    if (place === undefined) texts.set(toNodePath(path, false), { file, source });
    else broken.push(unreadable(file, NOT_UTF8, place));
  }
  const findings = lintFolder(new Map([...texts].map(([path, { source }]) => [path, source])));
  return [...[...texts].map(([path, text]) => ({ ...text, findings: findings.get(path) ?? [] })), ...broken];
}

/**
 * Lints files, and all workflows of folders together. Throws UsageError for a single file that cannot be read; of several,
 * it is a finding.
 */
export async function validateAll(terminal: Terminal, paths: readonly string[]): Promise<ValidatedFile[]> {
  const validated: ValidatedFile[] = [];
  for (const path of paths) {
    const isBelow = path !== '-' && (await isFolder(resolve(terminal.cwd, path)));
    if (isBelow) validated.push(...(await validateFolder(terminal, path)));
    else validated.push(await validateFile(terminal, path, paths.length === 1));
  }
  return validated;
}

/** Writes the certain corrections into the files, and returns the number of corrections. Repeats until there are none. */
export async function fixAll(terminal: Terminal, paths: readonly string[]): Promise<number> {
  let total = 0;
  // A correction may reveal the next mistake: a text that becomes YAML is compiled.
  for (let round = 0; round < 10; round += 1) {
    let count = 0;
    for (const { file, source, findings } of await validateAll(terminal, paths)) {
      const mends = findings.flatMap(({ mend }) => (mend?.isCertain ? [mend] : []));
      if (source === undefined || mends.length === 0 || file === '-') continue;
      const fixed = applyMends(source, mends);
      await writeFile(resolve(terminal.cwd, file), fixed.text);
      count += fixed.count;
    }
    total += count;
    if (count === 0) break;
  }
  return total;
}

/** The path of a file for reports that other programs read: relative, with slashes. */
export function reportPath({ cwd }: Terminal, file: string): string {
  return relative(cwd, resolve(cwd, file)).replaceAll('\\', '/');
}

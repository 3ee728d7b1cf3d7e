import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { CONFIG_FILES } from '../client/target.ts';
import { UsageError } from '../shell/command.ts';
import { textOf } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const TEST = /\.test\.ya?ml$/;
const WORKFLOW = /\.ya?ml$/;

/** A file that an argument names, or that is below a folder that an argument names. */
export interface SourceFile {
  readonly file: string;
  readonly source: string;
}

/** The files below a folder whose names are wanted, relative to the root. */
async function filesBelow(root: string, isWanted: (name: string) => boolean, folder = ''): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(root, isWanted, path)));
    else if (isWanted(entry.name)) found.push(path);
  }
  return found;
}

/** The tests of an argument: of a folder all below it, of a workflow those beside it. */
async function testsOf({ cwd }: Terminal, argument: string): Promise<string[]> {
  const path = resolve(cwd, argument);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    return (await filesBelow(path, (name) => TEST.test(name))).map((file) => join(argument, file));
  }
  if (found === undefined) throw new UsageError(`${argument} cannot be read: there is no such file or folder`);
  if (TEST.test(argument)) return [argument];
  const beside = argument.replace(WORKFLOW, '.test.yaml');
  if (WORKFLOW.test(argument) && (await stat(resolve(cwd, beside)).catch(() => undefined))) return [beside];
  throw new UsageError(`${argument} is no file of tests; their names end in .test.yaml`);
}

/** Reads the files of tests that the arguments name, each once. Throws UsageError for an argument that names none. */
export async function readTests(terminal: Terminal, args: readonly string[]): Promise<SourceFile[]> {
  const named = (await Promise.all(args.map((argument) => testsOf(terminal, argument)))).flat();
  const files = [...new Map(named.map((file) => [resolve(terminal.cwd, file), file])).values()];
  return Promise.all(
    files.map(async (file) => ({ file, source: textOf(file, await readFile(resolve(terminal.cwd, file))) })),
  );
}

/** Where the workflows of a file of tests are. */
export interface Roots {
  readonly cwd: string;
  /** The folders whose files are at the root of the tree, absolute. */
  readonly folders: readonly string[];
}

/** The nearest folder above that has a configuration file, to which paths in the tree are relative. */
async function homeAbove(folder: string): Promise<string | undefined> {
  for (const name of CONFIG_FILES) if (await stat(join(folder, name)).catch(() => undefined)) return folder;
  return dirname(folder) === folder ? undefined : homeAbove(dirname(folder));
}

/** The roots of the workflows of a file of tests; without `folders` the folder of `.weft.yaml`, or its own. */
export async function rootsOf(
  { cwd }: Pick<Terminal, 'cwd'>,
  file: string,
  folders: readonly string[],
): Promise<Roots> {
  const own = dirname(resolve(cwd, file));
  if (folders.length > 0) return { cwd, folders: folders.map((folder) => resolve(own, folder)) };
  return { cwd, folders: [(await homeAbove(own)) ?? own] };
}

/** The path in the tree of a workflow file: relative to the first root above it, without its extension. */
export function treePathOf({ folders }: Roots, file: string): string {
  const below = folders.map((folder) => relative(folder, file)).find((path) => !path.startsWith('..'));
  return (below ?? relative(dirname(file), file)).replaceAll('\\', '/').replace(WORKFLOW, '');
}

async function readIfThere(cwd: string, path: string): Promise<SourceFile | undefined> {
  const file = relative(cwd, path);
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined ? undefined : { file, source: textOf(file, bytes) };
}

/** The file of a workflow by its path in the tree, in the first root that has it. */
export async function findWorkflow({ cwd, folders }: Roots, path: string): Promise<SourceFile | undefined> {
  for (const folder of folders) {
    for (const name of [`${path}.yaml`, `${path}.yml`, path]) {
      const found = await readIfThere(cwd, join(folder, name));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The paths in the tree of all workflow files of the roots, with a leading slash. */
export async function workflowPaths({ folders }: Roots): Promise<string[]> {
  const isWorkflow = (name: string): boolean => WORKFLOW.test(name) && !TEST.test(name);
  const found = await Promise.all(folders.map((folder) => filesBelow(folder, isWorkflow)));
  return found.flat().map((file) => `/${file.replaceAll('\\', '/').replace(WORKFLOW, '')}`);
}

/** Reads the workflow file that a test names, relative to it; undefined if it cannot be read. */
export async function readWorkflow({ cwd }: Roots, test: string, name: string): Promise<SourceFile | undefined> {
  return readIfThere(cwd, resolve(cwd, dirname(test), name));
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isNodeName, isVariableName } from '../../../lib/domain/names.ts';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import { type Ignores, toIgnores } from './ignores.ts';
import { parentsOf, type Wanted, type WantedVariable, type WantedWorkflow } from './wanted.ts';

const IGNORE_FILES = ['.weftignore', '.direktivignore'];
const EXTENSION = /\.ya?ml$/;
/** Definitions of other things than workflows say so at the top level. */
const OTHER_KIND = /^direktiv_api:\s*["']?(?!workflow)\w/m;
const SKIPPED = ['node_modules'];

/** Size and SHA-256 of a file, read piece by piece. */
export async function measure(file: string): Promise<{ readonly size: number; readonly hash: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, hash: hash.digest('hex') };
}

async function readIgnores(folder: string): Promise<Ignores> {
  const texts = await Promise.all(IGNORE_FILES.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
  return toIgnores(texts.join('\n'));
}

/** The files below a folder that nothing hides, by their paths from it, with slashes. Links are not followed. */
async function filesBelow(root: string, ignores: Ignores, folder = ''): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const isHidden = entry.name.startsWith('.') || SKIPPED.includes(entry.name);
    if (isHidden || ignores(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) found.push(...(await filesBelow(root, ignores, path)));
    if (entry.isFile()) found.push(path);
  }
  return found;
}

/** The workflow files among the paths, and beside each its variables: `hello.yaml.data.json` is `data.json` of `hello`. */
export function pairUp(paths: readonly string[]): Map<string, string[]> {
  const yaml = paths.filter((path) => EXTENSION.test(path));
  const ownerOf = (path: string) => yaml.find((other) => path.startsWith(`${other}.`));
  const workflows = new Map(yaml.filter((path) => ownerOf(path) === undefined).map((path) => [path, [] as string[]]));
  for (const path of paths) {
    const owner = ownerOf(path);
    if (owner !== undefined) workflows.get(owner)?.push(path);
  }
  return workflows;
}

/** The path of a workflow in the tree, of its file's path. */
export const toNodePath = (file: string, keepsExtension: boolean): string =>
  keepsExtension ? file : file.replace(EXTENSION, '');

async function toVariable(root: string, owner: string, path: string): Promise<WantedVariable> {
  const name = path.slice(owner.length + 1);
  if (!isVariableName(name)) {
    throw new UsageError(
      `${path}: '${name}' cannot name a variable; use letters, digits, - _ and ., or ignore the file`,
    );
  }
  const file = join(root, path);
  return { name, file, ...(await measure(file)) };
}

function needPath(file: string, path: string): string {
  const odd = path.split('/').find((segment) => !isNodeName(segment));
  if (odd === undefined) return path;
  throw new UsageError(
    `${file}: '${odd}' cannot name a node; use small letters, digits, - _ and . and begin with a letter, or ignore the file`,
  );
}

interface Asked {
  /** Where the tree begins on this machine. */
  readonly root: string;
  /** What stands before each path in the tree; empty for the root. */
  readonly below: string;
  readonly keepsExtension: boolean;
}

async function toWorkflow(
  { root, below, keepsExtension }: Asked,
  file: string,
  beside: readonly string[],
  as?: string,
) {
  const path = needPath(file, as ?? [below, toNodePath(file, keepsExtension)].filter((part) => part !== '').join('/'));
  const absolute = join(root, file);
  const { hash } = await measure(absolute);
  const variables = await Promise.all(beside.map((one) => toVariable(root, file, one)));
  return { path, revisions: [{ file: absolute, hash, isSaved: false, ids: [] }], variables };
}

/**
 * What workflow files say, with the directories that they need. Throws CommandFailedError for two files of one path.
 */
function toWanted(workflows: readonly WantedWorkflow[]): Wanted {
  const paths = workflows.map(({ path }) => path);
  const twice = workflows.find(({ path }, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw new CommandFailedError(`two files would be the workflow '${twice.path}'; rename one`);
  const directories = [...new Set(paths.flatMap(parentsOf))].sort().map((path) => ({ path, attributes: [] }));
  return { variables: [], directories, workflows };
}

export interface Source {
  /** A file or a folder, as the user wrote it. */
  readonly name: string;
  readonly cwd: string;
  /** Where paths of the tree begin when they are not given; undefined: at what is named. */
  readonly home?: string | undefined;
  /** The path in the tree: of the workflow if a file is named, of the directory if a folder is. */
  readonly as?: string | undefined;
  readonly keepsExtension: boolean;
}

async function isFolder({ cwd, name }: Source): Promise<boolean> {
  try {
    return (await stat(resolve(cwd, name))).isDirectory();
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** Where something stands below the home of the tree; empty if it is not below it. */
function below(home: string | undefined, absolute: string): string {
  const path = home === undefined ? '' : relative(home, absolute);
  return path.startsWith('..') ? '' : path.split(sep).join('/');
}

/** One workflow file with the variables beside it. */
async function readFileAlone({ name, cwd, home, as, keepsExtension }: Source): Promise<Wanted> {
  const absolute = resolve(cwd, name);
  const root = dirname(absolute);
  const file = basename(absolute);
  const names = (await readdir(root, { withFileTypes: true })).filter((one) => one.isFile()).map((one) => one.name);
  const beside = names.filter((other) => other.startsWith(`${file}.`)).sort();
  const asked = { root, below: below(home, root), keepsExtension };
  return toWanted([await toWorkflow(asked, file, beside, as === undefined ? undefined : trimmed(as))]);
}

/**
 * What a file or folder of workflows says, as people keep them in Git: each `.yaml` is a workflow, named like the file
 * without its ending; `.weftignore` and `.direktivignore` hide files. Throws UsageError for names that cannot be.
 */
export async function readFolder(source: Source): Promise<Wanted> {
  if (!(await isFolder(source))) return readFileAlone(source);
  const { name, cwd, home, as, keepsExtension } = source;
  const root = resolve(cwd, name);
  const paths = await filesBelow(root, await readIgnores(root));
  const asked = { root, below: as === undefined ? below(home, root) : trimmed(as), keepsExtension };
  const workflows: WantedWorkflow[] = [];
  for (const [file, beside] of pairUp(paths)) {
    if (OTHER_KIND.test(await readFile(join(root, file), 'utf8'))) continue;
    workflows.push(await toWorkflow(asked, file, beside));
  }
  return toWanted(workflows);
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isNodeName, isVariableName } from '../../../lib/domain/names.ts';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import { readSettings } from '../shell/files.ts';
import { type DesiredState, type DesiredVariable, type DesiredWorkflow, parentsOf } from './desired-state.ts';
import { type Ignores, toIgnores } from './ignores.ts';

const IGNORE_FILES = ['.weftignore', '.direktivignore'];
const EXTENSION = /\.ya?ml$/;
/** The names of tests of a workflow, beside it. */
const TEST = /\.test\.ya?ml$/;
const HAS_CASES = /^["']?cases["']?\s*:/m;
/** Whether a text is a file of tests: a workflow may have such a name too. */
export const isTest = (file: string, text: string): boolean => TEST.test(file) && HAS_CASES.test(text);
/** A definition of another kind than a workflow, which has this field at the top level. */
const OTHER_KIND = /^direktiv_api:\s*["']?(?!workflow)\w/m;
const SKIPPED = ['node_modules'];

/** Size and SHA-256 of a file, read as a stream. */
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
  const texts = await Promise.all(IGNORE_FILES.map((name) => readSettings(join(folder, name), { name })));
  return toIgnores(texts.map((text) => text ?? '').join('\n'));
}

/** The relative paths of the files below a folder, with slashes, without ignored ones. Links are not followed. */
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

/** The relative paths of the files below a folder, without hidden and ignored ones. */
export const filesIn = async (root: string): Promise<string[]> => filesBelow(root, await readIgnores(root));

/** The relative paths of the workflow files below a folder, without ignored ones, tests and files of variables. */
export async function workflowFilesBelow(root: string): Promise<string[]> {
  const paths = await filesIn(root);
  return [...groupByWorkflow(paths).keys()].filter((path) => !TEST.test(path));
}

/** The workflow files among the paths, each with the files of its variables: `hello.yaml.data.json` is one of `hello.yaml`. */
export function groupByWorkflow(paths: readonly string[]): Map<string, string[]> {
  const yaml = paths.filter((path) => EXTENSION.test(path));
  const ownerOf = (path: string) => yaml.find((other) => path.startsWith(`${other}.`));
  const workflows = new Map(yaml.filter((path) => ownerOf(path) === undefined).map((path) => [path, [] as string[]]));
  for (const path of paths) {
    const owner = ownerOf(path);
    if (owner !== undefined) workflows.get(owner)?.push(path);
  }
  return workflows;
}

/** The path of a workflow in the tree, from the path of its file. */
export const toNodePath = (file: string, keepsExtension: boolean): string =>
  keepsExtension ? file : file.replace(EXTENSION, '');

async function toVariable(root: string, owner: string, path: string): Promise<DesiredVariable> {
  const name = path.slice(owner.length + 1);
  if (!isVariableName(name)) {
    throw new UsageError(
      `${path}: '${name}' is no name of a variable; use letters, digits, - _ and ., or ignore the file`,
    );
  }
  const file = join(root, path);
  return { name, file, ...(await measure(file)) };
}

function needPath(file: string, path: string): string {
  const odd = path.split('/').find((segment) => !isNodeName(segment));
  if (odd === undefined) return path;
  throw new UsageError(
    `${file}: '${odd}' is no name of a node; use letters, digits, - _ and . after a letter, or ignore the file`,
  );
}

interface ReadOptions {
  /** The local folder of the tree. */
  readonly root: string;
  /** The prefix of each path in the tree; empty for the root. */
  readonly below: string;
  readonly keepsExtension: boolean;
}

async function toWorkflow(
  { root, below, keepsExtension }: ReadOptions,
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

/** The desired state of workflows with their directories. Throws CommandFailedError for two files with one path. */
function toDesiredState(workflows: readonly DesiredWorkflow[]): DesiredState {
  const paths = workflows.map(({ path }) => path);
  const twice = workflows.find(({ path }, index) => paths.indexOf(path) !== index);
  if (twice !== undefined)
    throw new CommandFailedError(`two files have the path '${twice.path}' of a workflow; rename one`);
  const directories = [...new Set(paths.flatMap(parentsOf))].sort().map((path) => ({ path, attributes: [] }));
  return { variables: [], directories, workflows };
}

export interface FolderSource {
  /** A file or a folder, as the user gave it. */
  readonly name: string;
  readonly cwd: string;
  /** The folder to which paths are relative if none is given; default: the argument. */
  readonly home?: string | undefined;
  /** The path in the tree: of the workflow for a file, of the directory for a folder. */
  readonly as?: string | undefined;
  readonly keepsExtension: boolean;
}

async function isFolder({ cwd, name }: FolderSource): Promise<boolean> {
  try {
    return (await stat(resolve(cwd, name))).isDirectory();
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '');

/** The path from the home folder; empty for a path outside of it. */
function below(home: string | undefined, absolute: string): string {
  const path = home === undefined ? '' : relative(home, absolute);
  return path.startsWith('..') ? '' : path.split(sep).join('/');
}

/** The desired state of one workflow file and its variables. */
async function readFileAlone({ name, cwd, home, as, keepsExtension }: FolderSource): Promise<DesiredState> {
  const absolute = resolve(cwd, name);
  const root = dirname(absolute);
  const file = basename(absolute);
  const names = (await readdir(root, { withFileTypes: true })).filter((one) => one.isFile()).map((one) => one.name);
  const beside = names.filter((other) => other.startsWith(`${file}.`)).sort();
  const options = { root, below: below(home, root), keepsExtension };
  return toDesiredState([await toWorkflow(options, file, beside, as === undefined ? undefined : trimmed(as))]);
}

/**
 * The desired state that a file or a folder of workflow files describes. Each `.yaml` file is a workflow with the name of
 * the file; tests are left out, and `.weftignore` and `.direktivignore` exclude files. Throws UsageError for invalid names, CommandFailedError for
 * two files with one path.
 */
export async function readFolder(source: FolderSource): Promise<DesiredState> {
  if (!(await isFolder(source))) return readFileAlone(source);
  const { name, cwd, home, as, keepsExtension } = source;
  const root = resolve(cwd, name);
  const paths = await filesIn(root);
  const options = { root, below: as === undefined ? below(home, root) : trimmed(as), keepsExtension };
  const workflows: DesiredWorkflow[] = [];
  for (const [file, beside] of groupByWorkflow(paths)) {
    const text = await readFile(join(root, file), 'utf8');
    if (OTHER_KIND.test(text) || isTest(file, text)) continue;
    workflows.push(await toWorkflow(options, file, beside));
  }
  return { ...toDesiredState(workflows), root: options.below };
}

import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { loadAll } from 'js-yaml';
import { type Migrated, migrate } from '../../../lib/authoring/migration/migration.ts';
import { toNodeName } from '../../../lib/authoring/migration/references.ts';
import { isNodeName } from '../../../lib/domain/names.ts';
import { CommandFailedError, UsageError } from '../shell/command.ts';
import { textOf } from '../shell/files.ts';
import { groupByWorkflow, toNodePath, workflowFilesBelow } from '../transfer/folder.ts';
import { isWorkflowText } from '../validation/files.ts';

/** A workflow text that is migrated. */
export interface OldText {
  /** The name in reports: a file below the folder, or a revision in an archive. */
  readonly label: string;
  /** The path in the tree after the migration. */
  readonly path: string;
  /** The path in the tree before it. */
  readonly before: string;
  readonly source: string;
}

/** A workflow text with its migration. */
export interface MigratedText extends OldText, Migrated {}

/** A text as a value, for counts; undefined if it is not YAML. */
export function toValue(source: string): unknown {
  try {
    return loadAll(source)[0];
  } catch {
    return undefined;
  }
}

const idOf = (source: string): string | undefined => /^id:[ \t]*["']?([\w./-]+)/m.exec(source)?.[1];

/** Migrates texts that call each other. */
export function migrateAll(texts: readonly OldText[], keepsExtension: boolean): readonly MigratedText[] {
  const nodes = new Set(texts.map(({ path }) => path));
  const moved = new Map(texts.filter(({ path, before }) => path !== before).map(({ path, before }) => [before, path]));
  const named = Map.groupBy(texts, ({ source }) => idOf(source) ?? '');
  // An id that two texts have identifies neither of them.
  const ids = new Map(
    [...named].flatMap(([id, [first, ...others]]) =>
      first && others.length === 0 && id !== '' ? [[id, first.path]] : [],
    ),
  );
  return texts.map((text) => ({
    ...text,
    ...migrate(text.source, { path: text.path, nodes, moved, ids, keepsExtension }),
  }));
}

/** A file of a folder. */
interface OldFile extends OldText {
  /** The path of the file below the folder, and after the migration. */
  readonly file: string;
  readonly target: string;
}

/** The files of a folder: workflows, and other definitions of the original, which are only counted. */
export interface OldFolder {
  readonly root: string;
  readonly files: readonly OldFile[];
  readonly others: readonly string[];
}

const DEFINITION = /^(?:direktiv_api|x-direktiv-api):/m;

/** The path of a file whose segments are names of the tree. */
function validFile(file: string): string {
  const extension = /\.ya?ml$/.exec(file)?.[0] ?? '';
  const segments = file.slice(0, file.length - extension.length).split('/');
  return segments.map((name) => (isNodeName(name) ? name : toNodeName(name) || name)).join('/') + extension;
}

/** Reads the workflow files of a folder, or one file. Throws UsageError. */
export async function readOldFolder(cwd: string, name: string, keepsExtension: boolean): Promise<OldFolder> {
  const path = resolve(cwd, name);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${name} cannot be read: ${error.code}`);
  });
  const root = found.isDirectory() ? path : dirname(path);
  const paths = found.isDirectory() ? await workflowFilesBelow(root) : [path.slice(root.length + 1)];
  const files: OldFile[] = [];
  const others: string[] = [];
  for (const file of paths) {
    const source = textOf(file, await readFile(join(root, file)));
    if (!isWorkflowText(source) || (DEFINITION.test(source) && !/^(?:states|functions)\s*:/m.test(source))) {
      if (DEFINITION.test(source)) others.push(source);
      continue;
    }
    const target = found.isDirectory() ? validFile(file) : file;
    const [before, after] = [toNodePath(file, keepsExtension), toNodePath(target, keepsExtension)];
    files.push({ label: found.isDirectory() ? file : name, path: after, before, source, file, target });
  }
  return { root, files, others };
}

/** The files that move with a workflow file: those of its variables. */
async function besides(root: string, file: string): Promise<readonly string[]> {
  const folder = dirname(file);
  const names = await readdir(join(root, folder));
  const paths = names.map((name) => (folder === '.' ? name : `${folder}/${name}`));
  return groupByWorkflow(paths).get(file) ?? [];
}

/** Writes the migrated texts into their files, which get their new names. Returns the number of files. */
export async function writeFolder({ root, files }: OldFolder, migrated: readonly MigratedText[]): Promise<number> {
  let count = 0;
  for (const [index, { file, target, source }] of files.entries()) {
    const text = migrated[index]?.text ?? source;
    if (text === source && file === target) continue;
    if (file !== target) await moveFile(root, file, target);
    await writeFile(join(root, target), text);
    count += 1;
  }
  return count;
}

async function moveFile(root: string, file: string, target: string): Promise<void> {
  const isTaken = await stat(join(root, target)).then(
    () => true,
    () => false,
  );
  if (isTaken)
    throw new CommandFailedError(`${file} cannot be renamed to ${target}: there is such a file; rename one of them`);
  await mkdir(dirname(join(root, target)), { recursive: true });
  for (const beside of await besides(root, file)) {
    await rename(join(root, beside), join(root, target + beside.slice(file.length)));
  }
  await rename(join(root, file), join(root, target));
}

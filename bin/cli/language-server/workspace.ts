import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Surroundings } from '../../../lib/authoring/editing/completion-items.ts';
import { type OpenText, openText } from '../../../lib/authoring/editing/open-text.ts';
import type { Workflow } from '../../../lib/lint/document/workflow.ts';
import type { Finding } from '../../../lib/lint/lint.ts';
import { rootsOf } from '../testing/files.ts';
import { prepareSuite } from '../testing/preparation.ts';
import { toNodePath, workflowFilesBelow } from '../transfer/folder.ts';
import { isWorkflowText } from '../validation/files.ts';
import { TEST_RULE } from './conversions.ts';

/** The path of a file; undefined for a document that is no file. */
function fileOf(uri: string): string | undefined {
  return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
}

/** The workflows of a folder that is open in an editor: its files, with the texts of open documents in their place. */
export class Workspace {
  readonly #root: string | undefined;
  /** The texts of the files, by their paths in the tree. */
  readonly #files = new Map<string, OpenText>();
  /** The paths of the files with their extensions, by their paths in the tree. */
  readonly #names = new Map<string, string>();
  readonly #documents = new Map<string, OpenText>();

  /** `root` is the folder's URI; without one, each document is alone. */
  constructor(root?: string) {
    this.#root = root === undefined ? undefined : fileOf(root);
  }

  /** The path of a document in the tree; undefined for one outside of the folder. */
  pathOf(uri: string): string | undefined {
    const file = fileOf(uri);
    if (file === undefined || this.#root === undefined) return undefined;
    const path = relative(this.#root, file).replaceAll('\\', '/');
    return path.startsWith('..') ? undefined : toNodePath(path, false);
  }

  /** The URI of the file of a workflow; undefined if the folder has none. */
  async uriOf(path: string): Promise<string | undefined> {
    if (this.#root === undefined) return undefined;
    for (const extension of ['.yaml', '.yml']) {
      const file = join(this.#root, `${path}${extension}`);
      const isThere = await readFile(file).then(
        () => true,
        () => false,
      );
      if (isThere) return pathToFileURL(file).href;
    }
    return undefined;
  }

  /** Reads the workflow files of the folder. */
  async load(): Promise<void> {
    if (this.#root === undefined) return;
    for (const path of await workflowFilesBelow(this.#root)) await this.#read(path);
  }

  /** Reads a file again after it was created, changed or deleted. */
  async reload(uri: string): Promise<void> {
    const file = fileOf(uri);
    const path = this.pathOf(uri);
    if (file === undefined || path === undefined || this.#root === undefined) return;
    this.#files.delete(path);
    await this.#read(relative(this.#root, file));
  }

  async #read(path: string): Promise<void> {
    const text = await readFile(join(this.#root ?? '', path), 'utf8').catch(() => '');
    if (!isWorkflowText(text)) return;
    const file = path.replaceAll('\\', '/');
    this.#files.set(toNodePath(file, false), openText(text));
    this.#names.set(toNodePath(file, false), file);
  }

  /** The text of a document, which is parsed once for each change. */
  open(uri: string, text: string): OpenText {
    const known = this.#documents.get(uri);
    if (known?.text === text) return known;
    const opened = openText(text);
    this.#documents.set(uri, opened);
    return opened;
  }

  /** Forgets a document that was closed; its file counts again. */
  close(uri: string): void {
    this.#documents.delete(uri);
  }

  /** The problems for which `weft test` would not run a file of tests. The workflows under test count as they were saved. */
  async problemsOfTests(uri: string, source: string): Promise<readonly Finding[]> {
    const file = fileOf(uri);
    if (file === undefined) return [];
    const problems = await prepareSuite({ cwd: this.#root ?? dirname(file) }, { file, source }).then(
      ({ ownProblems }) => ownProblems,
      // A file or folder that it names cannot be read.
      (error: Error) => [{ message: error.message, line: 1, column: 1 }],
    );
    return problems.map((problem) => ({ ...problem, rule: TEST_RULE, severity: 'error' }));
  }

  /** The workflows beside a document; undefined if it is alone. */
  around(uri: string): Surroundings | undefined {
    const path = this.pathOf(uri);
    if (path === undefined) return undefined;
    const texts = new Map(this.#files);
    for (const [other, text] of this.#documents) {
      const place = this.pathOf(other);
      if (place !== undefined && isWorkflowText(text.text)) texts.set(place, text);
    }
    const workflows = new Map<string, Workflow>();
    for (const [place, text] of texts) {
      const workflow = text.workflow();
      if (workflow !== undefined) workflows.set(place, workflow);
    }
    return { path, workflows, files: this.#names };
  }

  /** The workflows beside a file of tests; undefined if it is alone. */
  async aroundTests(uri: string): Promise<Surroundings | undefined> {
    const [around, file] = [this.around(uri), fileOf(uri)];
    if (around === undefined || file === undefined || this.#root === undefined) return undefined;
    const { folders } = await rootsOf({ cwd: this.#root }, file, []);
    const home = relative(this.#root, folders[0] ?? this.#root).replaceAll('\\', '/');
    // A path in the tree begins above the folder of the editor: the workflows there are unknown.
    return home.startsWith('..') ? around : { ...around, home };
  }
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The templates of `weft init`, with what their workflow shows. Each is a folder of files below `templates`. */
export const TEMPLATES = {
  api: 'calls an HTTP API, and asks again while it is busy',
  event: 'is started by an event, and waits for another one',
  schedule: 'is started by the clock, and keeps a variable',
  approval: 'waits for the decision of a person',
  agent: 'lets a language model use a tool',
  worker: 'gives a task to a program of yours',
} as const;

export type TemplateName = keyof typeof TEMPLATES;

/** The template that is used if none is named. */
export const DEFAULT_TEMPLATE: TemplateName = 'api';

/** The files of every template: their names in `templates/every`, because npm packs no files such as .gitignore. */
const EVERY = {
  'weft.yaml': '.weft.yaml',
  gitignore: '.gitignore',
  'settings.json': '.vscode/settings.json',
  'ci.yaml': '.github/workflows/weft.yaml',
} as const;

/** A file that `weft init` writes. */
export interface TemplateFile {
  /** Its path below the new folder, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Every template has it, so that a folder may have it already. */
  readonly isOfEvery: boolean;
}

/** Beside this module, in a clone and in the package. */
const FOLDER = fileURLToPath(new URL('./templates/', import.meta.url));

const read = (...names: readonly string[]): Promise<string> => readFile(join(FOLDER, ...names), 'utf8');

/** The files of a template, those of every template last. */
export async function filesOf(template: TemplateName): Promise<TemplateFile[]> {
  const own = (await readdir(join(FOLDER, template))).sort();
  return Promise.all([
    ...own.map(async (path) => ({ path, text: await read(template, path), isOfEvery: false })),
    ...Object.entries(EVERY).map(async ([name, path]) => ({ path, text: await read('every', name), isOfEvery: true })),
  ]);
}

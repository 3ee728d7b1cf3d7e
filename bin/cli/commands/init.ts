import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { closestName } from '../../../lib/language/suggestions.ts';
import { DEFAULT_TEMPLATE, filesOf, TEMPLATES, type TemplateFile, type TemplateName } from '../init/templates.ts';
import { defineCommand, needArguments, result, UsageError } from '../shell/command.ts';

const NAMES = Object.keys(TEMPLATES);

const isTemplate = (name: string): name is TemplateName => Object.hasOwn(TEMPLATES, name);

/** Throws UsageError, which lists the templates. */
function needTemplate(name: string): TemplateName {
  if (isTemplate(name)) return name;
  const near = closestName(name, NAMES);
  const suggestion = near === undefined ? '' : `; did you mean '${near}'?`;
  throw new UsageError(`no template '${name}'; there are ${NAMES.join(', ')}${suggestion}`);
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

/** The files that the folder does not have. Throws UsageError, before anything is written, if it has one of the template. */
async function missingFiles(folder: string, files: readonly TemplateFile[]): Promise<TemplateFile[]> {
  const found = await Promise.all(files.map(({ path }) => exists(join(folder, path))));
  const inTheWay = files.filter(({ isOfEvery }, index) => found[index] === true && !isOfEvery).map(({ path }) => path);
  if (inTheWay.length > 0) {
    throw new UsageError(
      `nothing was written: ${folder} has ${inTheWay.join(', ')} already; name another folder, as in 'weft init ${DEFAULT_TEMPLATE} my-flows'`,
    );
  }
  return files.filter((_, index) => found[index] !== true);
}

/** Throws UsageError if the folder cannot be written. */
async function write(folder: string, files: readonly TemplateFile[]): Promise<void> {
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      // Never over a file that appeared meanwhile.
      await writeFile(join(folder, path), text, { flag: 'wx' });
    }
  } catch (error) {
    throw new UsageError(`${folder} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

export const init = defineCommand({
  about: 'Writes a folder with a workflow, its test, and settings for the command line, an editor and CI',
  usage: ['init [TEMPLATE] [FOLDER]'],
  notes: [
    'The default folder is this one. No file is replaced. The templates:',
    ...Object.entries(TEMPLATES).map(
      ([name, what]) => `- ${name}${name === DEFAULT_TEMPLATE ? ' (the default)' : ''}: its workflow ${what}`,
    ),
  ],
  options: {},
  words: NAMES,
  run: async (values, args, { cwd }) => {
    needArguments('init', ['[TEMPLATE]', '[FOLDER]'], args);
    const [name = DEFAULT_TEMPLATE, folder = '.'] = args;
    const template = needTemplate(name);
    const path = resolve(cwd, folder);
    const files = await missingFiles(path, await filesOf(template));
    await write(path, files);
    const written = files.map((file) => file.path);
    const lines = written.map((file) => `wrote ${folder === '.' ? file : join(folder, file)}`);
    const next = `next: weft dev${folder === '.' ? '' : ` ${folder}`}`;
    return result(values, { template, folder, files: written }, () => [...lines, next].join('\n'));
  },
});

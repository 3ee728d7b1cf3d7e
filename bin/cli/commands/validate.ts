import { counted, defineCommand, UsageError } from '../shell/command.ts';
import { fixAll, validateAll } from '../validation/files.ts';
import { FORMATS } from '../validation/formats.ts';
import { functionLines } from '../validation/functions.ts';

const isFormat = (name: string): name is keyof typeof FORMATS => Object.hasOwn(FORMATS, name);

export const validate = defineCommand({
  about: 'Validates workflow files without a service, and prints each problem with its position and correction',
  usage: ['validate FILE|FOLDER...'],
  notes: [
    'The file - is the standard input. The workflows of a folder are also compared with each other.',
    'An error makes the command fail. A warning is about a text that can be stored and does not work; a hint is a guess.',
    'docs/lint.md describes the rules. The text also names the functions that need a container (docs/native-images.md).',
  ],
  options: {
    strict: { type: 'boolean', help: 'fail for warnings too' },
    fix: { type: 'boolean', help: 'write the certain corrections into the files' },
    format: { type: 'string', value: 'FORMAT', help: `${Object.keys(FORMATS).join(', ')}; default text` },
  },
  run: async ({ json, strict, fix, format = json ? 'json' : 'text' }, paths, terminal) => {
    if (paths.length === 0) throw new UsageError('no file given');
    if (!isFormat(format)) throw new UsageError(`--format is one of ${Object.keys(FORMATS).join(', ')}`);
    const fixed = fix ? await fixAll(terminal, paths) : 0;
    if (fix) terminal.printStatus(`${counted(fixed, 'correction')} made`);
    const files = await validateAll(terminal, paths);
    if (format === 'text') for (const line of functionLines(files)) terminal.printStatus(line);
    const severities = new Set(files.flatMap(({ findings }) => findings.map(({ severity }) => severity)));
    const isSuccess = !severities.has('error') && !(strict && severities.has('warning'));
    // The commands to GitHub are meant as such, and their values are escaped.
    return { text: FORMATS[format](files, terminal), isSuccess, isData: format === 'github' };
  },
});

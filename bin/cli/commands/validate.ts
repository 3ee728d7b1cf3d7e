import { defineCommand, toJson, UsageError } from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import { checkSource, findingTexts } from '../transfer/offline.ts';

/** Compiles workflows without a service. */
export const validate = defineCommand({
  about: 'Checks workflow files without a service, and points at what is wrong',
  usage: ['validate FILE...'],
  notes: ['A file called - is the standard input.'],
  options: {},
  run: async ({ json }, files, terminal) => {
    if (files.length === 0) throw new UsageError('name at least one file');
    const read = async (file: string) => checkSource(file, (await readBytes(terminal, file)).toString('utf8'));
    const checked = await Promise.all(files.map(read));
    const findings = checked.flatMap((one) => one.findings);
    const texts = checked.flatMap(findingTexts);
    const rest = `${findings.length} ${findings.length === 1 ? 'problem' : 'problems'} in ${files.length} files`;
    const shown = [...texts, files.length === 1 ? rest.replace('1 files', '1 file') : rest].join('\n');
    return { text: json ? toJson(findings) : shown, isGood: findings.length === 0 };
  },
});

import { defineCommand, toJson, UsageError } from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import { problemTexts, validateSource } from '../transfer/validation.ts';

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const validate = defineCommand({
  about: 'Validates workflow files without a service, and prints each problem with its position',
  usage: ['validate FILE...'],
  notes: ['The file - is the standard input.'],
  options: {},
  run: async ({ json }, files, terminal) => {
    if (files.length === 0) throw new UsageError('no file given');
    const read = async (file: string) => validateSource(file, (await readBytes(terminal, file)).toString('utf8'));
    const validated = await Promise.all(files.map(read));
    const problems = validated.flatMap((one) => one.problems);
    const summary = `${counted(problems.length, 'problem')} in ${counted(files.length, 'file')}`;
    const text = json ? toJson(problems) : [...validated.flatMap(problemTexts), summary].join('\n');
    return { text, isSuccess: problems.length === 0 };
  },
});

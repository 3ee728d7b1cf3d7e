import { createTwoFilesPatch } from 'diff';
import { type CountedConstruct, countConstructs } from '../../../lib/authoring/migration/constructs.ts';
import { type ImageUse, inventoryOf } from '../../../lib/authoring/migration/images.ts';
import { formatProblem } from '../../../lib/language/problem.ts';
import { counted, toTable } from '../shell/command.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { type MigratedText, toValue } from './sources.ts';

/** The findings of the doctor in the texts before their migration. */
export interface Diagnosis {
  readonly constructs: readonly CountedConstruct[];
  readonly images: readonly ImageUse[];
}

/** Counts constructs and images; `others` are definitions of the original that are no workflows. */
export function diagnose(texts: readonly MigratedText[], others: readonly string[]): Diagnosis {
  // A text that was no YAML before can be counted after its migration.
  const values = texts.map(({ path, source, text }) => [path, toValue(source) ?? toValue(text)] as const);
  return {
    constructs: countConstructs([...values.map(([, value]) => value), ...others.map(toValue)]),
    images: inventoryOf(new Map(values)),
  };
}

/** Whether the text cannot be stored after the migration. */
export const isBroken = ({ findings }: MigratedText): boolean => findings.some(({ severity }) => severity === 'error');

/** Whether the text or its name in the tree becomes another one. */
export const isChanged = ({ source, text, path, before }: MigratedText): boolean => source !== text || path !== before;

function diffOf(terminal: Terminal, { label, source, text }: MigratedText): string {
  const patch = createTwoFilesPatch(label, label, source, text, 'before', 'after', { context: 2 });
  const lines = patch.trimEnd().split('\n').slice(1);
  const colour = (line: string) => (line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined);
  return lines
    .map((line) => {
      const found = colour(line);
      return found === undefined ? line : paint(terminal, found, line);
    })
    .join('\n');
}

/** The report about a text: its new name, the changes, the difference, and the remaining problems. */
export function textReport(terminal: Terminal, one: MigratedText, hasDiff: boolean): string {
  const { label, path, before, source, text, changes, findings } = one;
  const head = path === before ? label : `${label}: its name in the tree becomes '${path}'`;
  const remaining = findings
    .filter(({ severity }) => severity !== 'hint')
    .map(
      (finding) =>
        `${label}:${formatProblem({ ...finding, message: `${finding.severity}: ${finding.message} [${finding.rule}]` }, text)}`,
    );
  return [
    head,
    ...changes.map(({ line, note }) => `  line ${line}: ${note}`),
    ...(hasDiff && source !== text ? [diffOf(terminal, one)] : []),
    ...remaining,
  ].join('\n');
}

function constructTable(constructs: readonly CountedConstruct[]): string {
  const rows = constructs.map(({ verdict, count, label, note = '' }) => [verdict, String(count), label, note]);
  return toTable([['CONSTRUCT', 'COUNT', 'WHAT', 'NOTE'], ...rows]);
}

function imageTable(images: readonly ImageUse[]): string {
  const rows = images.map(({ image, workflows, use = 'stays a container' }) => [
    image,
    counted(workflows.length, 'workflow'),
    use,
  ]);
  return toTable([['IMAGE', 'USED BY', 'REPLACEMENT'], ...rows]);
}

/** The summary of all texts: constructs, images, and how many texts can be stored. */
export function summaryOf(texts: readonly MigratedText[], { constructs, images }: Diagnosis): string {
  const broken = texts.filter(isBroken).length;
  const changed = texts.filter((one) => isChanged(one) && !isBroken(one)).length;
  const parts = [
    `${texts.length - broken - changed} need no change`,
    `${changed} can be stored after these changes`,
    `${broken} cannot be stored`,
  ];
  return [
    constructTable(constructs),
    ...(images.length === 0 ? [] : [imageTable(images)]),
    `${counted(texts.length, 'workflow text')}: ${parts.join(', ')}`,
  ].join('\n\n');
}

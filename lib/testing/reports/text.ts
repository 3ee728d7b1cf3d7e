import type { Coverage, Reached } from '../coverage.ts';
import type { Harm } from '../harm.ts';
import { type CaseResult, type SuiteResult, totalsOf } from '../results.ts';
import type { Paint, TestReport } from './report.ts';

const MARKS: Readonly<Record<CaseResult['status'], readonly [string, Parameters<Paint>[0]]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  skipped: ['-', 'yellow'],
};

const indented = (text: string, margin: string): string =>
  text
    .split('\n')
    .map((line) => `${margin}${line}`)
    .join('\n');

/** The harm in a case: its message, its cause, and the change that prevents it. */
export function harmText({ message, cause, count, mend }: Harm): string {
  const others = count > 1 ? ` and ${count - 1} more` : '';
  return [`harm: ${message}`, `  after: ${cause}${others}`, ...(mend === '' ? [] : [`  hint: ${mend}`])].join('\n');
}

/** Why a case failed, one reason a line, with the place in its file. */
export const failureTexts = ({ file, failures }: Pick<CaseResult, 'file' | 'failures'>): string[] =>
  failures.map(({ message, at }) => (at === undefined ? message : `${file}:${at.line}:${at.column}: ${message}`));

function detailsOf(result: CaseResult): string[] {
  const log = result.failures.length > 0 ? (result.seen?.log ?? []) : [];
  return [
    ...failureTexts(result),
    ...result.harms.map(harmText),
    ...(log.length === 0 ? [] : [`the end of the log:\n${indented(log.join('\n'), '  ')}`]),
  ];
}

function caseText(result: CaseResult, paint: Paint): string {
  const [mark, colour] = MARKS[result.status];
  const time = result.status === 'skipped' ? '' : ` (${Math.round(result.ms)} ms)`;
  const crashes = result.crashes > 0 ? `, ${result.crashes} crashes` : '';
  const reason = result.reason === undefined ? '' : `: ${result.reason}`;
  const head = `  ${paint(colour, mark)} ${result.name.replace(/\s*\n\s*/g, ' ')}${time}${crashes}${reason}`;
  return [head, ...detailsOf(result).map((text) => indented(text, '      '))].join('\n');
}

function suiteText({ file, cases, problems }: SuiteResult, paint: Paint): string {
  return [file, ...problems.map((text) => indented(text, '  ')), ...cases.map((one) => caseText(one, paint))].join(
    '\n',
  );
}

const share = ({ reached, total }: Reached): string => `${reached}/${total}`;

function coverageText(file: string, { states, transitions, catches }: Coverage): string {
  const head = `  ${file}: states ${share(states)}, transitions ${share(transitions)}, catches ${share(catches)}`;
  const missed = [...states.missed.map((state) => `state ${state}`), ...transitions.missed, ...catches.missed];
  return [head, ...missed.map((one) => `    not reached: ${one}`)].join('\n');
}

/** The report for a terminal. It ends with `N passed, N failed`. */
export function textReport({ suites, coverage, seed }: TestReport, paint: Paint): string {
  const { passed, failed, skipped } = totalsOf(suites);
  const counts = `${passed} passed, ${failed} failed`;
  const total = skipped === 0 ? counts : `${skipped} skipped, ${counts}`;
  const hasHarm = suites.some(({ cases }) => cases.some(({ harms }) => harms.length > 0));
  return [
    ...suites.map((suite) => suiteText(suite, paint)),
    ...(coverage === undefined ? [] : ['coverage', ...[...coverage].map(([file, one]) => coverageText(file, one))]),
    ...(hasHarm && seed !== undefined ? [`the seed was ${seed}`] : []),
    total,
  ].join('\n');
}

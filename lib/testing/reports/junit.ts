import { ownMember } from '../../language/own-members.ts';
import { type CaseResult, type SuiteResult, totalsOf } from '../results.ts';
import type { TestReport } from './report.ts';
import { failureTexts, harmText } from './text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};
/** The characters that no XML 1.0 document may contain. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const escaped = (text: string): string =>
  text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"\n]/g, (letter) => ownMember(ENTITIES, letter) ?? letter);

type Attributes = Readonly<Record<string, string | number>>;

function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const open = `<${name}${given.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function failureElement(type: string, texts: readonly string[]): string[] {
  const [message = ''] = texts;
  return texts.length === 0 ? [] : [element('failure', { type, message }, [escaped(texts.join('\n'))])];
}

function caseElement(result: CaseResult): string {
  const { name, file, line, ms, reason } = result;
  return element('testcase', { name, classname: file, file, line, time: seconds(ms) }, [
    ...failureElement('expectation', failureTexts(result)),
    ...failureElement('harm', result.harms.map(harmText)),
    ...(reason === undefined ? [] : [element('skipped', { message: reason })]),
  ]);
}

/** A file that cannot be run is a case of its own: readers of reports count cases. */
function problemElement({ file, problems }: SuiteResult): string[] {
  if (problems.length === 0) return [];
  const texts = [problems.join('\n')];
  return [
    element('testcase', { name: 'the file can be run', classname: file, file, time: 0 }, failureElement('file', texts)),
  ];
}

function suiteElement(suite: SuiteResult): string {
  const { file, cases } = suite;
  const { passed, failed, skipped } = totalsOf([suite]);
  const time = seconds(cases.reduce((sum, { ms }) => sum + ms, 0));
  const counts = { tests: passed + failed + skipped, failures: failed, skipped, errors: 0, time };
  return element('testsuite', { name: file, ...counts }, [...problemElement(suite), ...cases.map(caseElement)]);
}

/** The report in the XML of JUnit, as continuous integration reads it (docs/decisions/023). */
export function junitReport({ suites }: TestReport): string {
  const { passed, failed, skipped } = totalsOf(suites);
  const counts = { tests: passed + failed + skipped, failures: failed, skipped, errors: 0 };
  const root = element('testsuites', { name: 'weft test', ...counts }, suites.map(suiteElement));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}

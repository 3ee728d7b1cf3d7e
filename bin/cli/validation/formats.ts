import { formatProblem } from '../../../lib/language/problem.ts';
import { docsOf, type Finding, type Severity } from '../../../lib/lint/lint.ts';
import { counted, toJson } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { reportPath, type ValidatedFile } from './files.ts';

/** Formats the findings in files. */
export type Format = (files: readonly ValidatedFile[], terminal: Terminal) => string;

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'hint'];

function summaryOf(files: readonly ValidatedFile[]): string {
  const findings = files.flatMap((file) => file.findings);
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter((one) => one.severity === severity).length,
  }));
  const parts = counts.filter(({ count }) => count > 0).map(({ severity, count }) => counted(count, severity));
  const detail = findings.some(({ severity }) => severity !== 'error') ? `: ${parts.join(', ')}` : '';
  return `${counted(findings.length, 'problem')} in ${counted(files.length, 'file')}${detail}`;
}

function textOf({ file, source }: ValidatedFile, finding: Finding): string {
  const label = finding.severity === 'error' ? '' : `${finding.severity}: `;
  const message = `${label}${finding.message} [${finding.rule}]`;
  if (source === undefined) return `${file}:${finding.line}:${finding.column}: ${message}`;
  return `${file}:${formatProblem({ ...finding, message }, source)}`;
}

const text: Format = (files) =>
  [...files.flatMap((file) => file.findings.map((finding) => textOf(file, finding))), summaryOf(files)].join('\n');

const json: Format = (files) =>
  toJson(
    files.flatMap(({ file, findings }) =>
      findings.map((one) => ({ file, kind: 'mistake', ...one, docs: docsOf(one.rule) })),
    ),
  );

/** A value of a command of GitHub's log: its line breaks and separators are escaped. */
const escaped = (value: string): string =>
  value.replace(/[%\r\n]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
const escapedProperty = (value: string): string => escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C');

const GITHUB_COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', hint: 'notice' };

const github: Format = (files, terminal) =>
  files
    .flatMap(({ file, findings }) =>
      findings.map(({ severity, line, column, rule, message, hint }) => {
        const place = `file=${escapedProperty(reportPath(terminal, file))},line=${line},col=${column},title=${rule}`;
        return `::${GITHUB_COMMANDS[severity]} ${place}::${escaped(hint === undefined ? message : `${message}\n${hint}`)}`;
      }),
    )
    .join('\n');

const SARIF_LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', hint: 'note' };

function sarifResult(file: string, { rule, severity, message, hint, line, column, end }: Finding) {
  const region = { startLine: line, startColumn: column, ...(end && { endLine: end.line, endColumn: end.column }) };
  return {
    ruleId: rule,
    level: SARIF_LEVELS[severity],
    message: { text: hint === undefined ? message : `${message} (${hint})` },
    locations: [{ physicalLocation: { artifactLocation: { uri: file }, region } }],
  };
}

const sarif: Format = (files, terminal) => {
  const rules = [...new Set(files.flatMap(({ findings }) => findings.map(({ rule }) => rule)))].sort();
  const results = files.flatMap(({ file, findings }) =>
    findings.map((finding) => sarifResult(reportPath(terminal, file), finding)),
  );
  const driver = { name: 'weft', rules: rules.map((id) => ({ id, helpUri: docsOf(id) })) };
  return toJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  });
};

/** The formats of `weft validate` by their names. */
export const FORMATS = { text, json, sarif, github } as const satisfies Readonly<Record<string, Format>>;

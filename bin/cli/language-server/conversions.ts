import { pathToFileURL } from 'node:url';
import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  type Diagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  type Position as LspPosition,
  type Range as LspRange,
  SymbolKind,
  TextEdit,
} from 'vscode-languageserver/node';
import type { Completion, CompletionKind, Completions } from '../../../lib/authoring/editing/completion-items.ts';
import type { OpenText, Range } from '../../../lib/authoring/editing/open-text.ts';
import type { TextSymbol } from '../../../lib/authoring/editing/symbols.ts';
import type { Position } from '../../../lib/language/position.ts';
import { docsOf, type Edit, type Finding, type Severity } from '../../../lib/lint/lint.ts';

/** Positions of the protocol count from 0, ours from 1; both count UTF-16 units. */
const toLspPosition = ({ line, column }: Position): LspPosition => ({ line: line - 1, character: column - 1 });

/** Our position of a position of the protocol. */
export const toPosition = ({ line, character }: LspPosition): Position => ({ line: line + 1, column: character + 1 });

/** The range of the protocol for one of ours. */
export const toLspRange = ({ from, to }: Range): LspRange => ({ start: toLspPosition(from), end: toLspPosition(to) });

/** The edit of the protocol for one of ours. */
export const toTextEdit = (edit: Edit): TextEdit => TextEdit.replace(toLspRange(edit), edit.text);

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Information,
};

/** The word at the place of a finding, which is marked if the finding has no end. */
function endOf({ source, text }: OpenText, finding: Finding): Position {
  if (finding.end !== undefined) return finding.end;
  const word = /^[\w.@/-]+/.exec(text.slice(source.offsetOf(finding)))?.[0].length ?? 1;
  return { line: finding.line, column: finding.column + word };
}

/** The rule of the problems of files of tests. */
export const TEST_RULE = 'test';

/** The page of a rule, in this repository's docs. */
const pageOf = (rule: string, root: string): string => {
  const page = rule === TEST_RULE ? 'docs/testing.md#a-file-of-tests' : docsOf(rule);
  const [file = '', heading = ''] = page.split('#');
  return `${pathToFileURL(`${root}/${file}`).href}#${heading}`;
};

/** A finding as a diagnostic. `docs` is the folder that contains docs/lint.md, if there is one. */
export function toDiagnostic(text: OpenText, finding: Finding, docs: string | undefined): Diagnostic {
  const { message, hint, rule, severity } = finding;
  const range = toLspRange({ from: finding, to: endOf(text, finding) });
  return {
    range,
    severity: SEVERITIES[severity],
    source: 'weft',
    code: rule,
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(docs !== undefined && { codeDescription: { href: pageOf(rule, docs) } }),
  };
}

/** The correction of a finding as a quick fix. */
export function toQuickFix(uri: string, finding: Finding, diagnostic: Diagnostic): CodeAction | undefined {
  const { mend } = finding;
  if (mend === undefined) return undefined;
  return {
    title: mend.title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    isPreferred: mend.isCertain,
    edit: { changes: { [uri]: mend.edits.map(toTextEdit) } },
  };
}

const ITEM_KINDS: Readonly<Record<CompletionKind, CompletionItemKind>> = {
  field: CompletionItemKind.Property,
  type: CompletionItemKind.Class,
  state: CompletionItemKind.Reference,
  function: CompletionItemKind.Function,
  word: CompletionItemKind.EnumMember,
  variable: CompletionItemKind.Variable,
  workflow: CompletionItemKind.File,
};

function toItem(
  { label, kind, insert, detail, documentation }: Completion,
  index: number,
  range: LspRange,
): CompletionItem {
  return {
    label,
    kind: ITEM_KINDS[kind],
    // The order of the language: editors sort by this text.
    sortText: String(index).padStart(4, '0'),
    textEdit: TextEdit.replace(range, insert ?? label),
    ...(detail !== undefined && detail !== '' && { detail }),
    ...(documentation !== undefined && documentation !== '' && { documentation }),
  };
}

/** Completions for a request at a position. */
export function toItems({ from, items }: Completions, at: Position): CompletionItem[] {
  const range = toLspRange({ from, to: at });
  return items.map((item, index) => toItem(item, index, range));
}

const SYMBOL_KINDS: Readonly<Record<TextSymbol['kind'], SymbolKind>> = {
  state: SymbolKind.Event,
  function: SymbolKind.Function,
};

/** A state or function of the outline. */
export function toDocumentSymbol({ name, kind, detail, range }: TextSymbol): DocumentSymbol {
  const place = toLspRange(range);
  return { name, kind: SYMBOL_KINDS[kind], detail, range: place, selectionRange: place };
}

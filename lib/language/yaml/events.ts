import { type Event, parseEvents, YAMLException } from 'js-yaml';
import { omitUndefined } from '../omit-undefined.ts';
import { createLocator, createSourceText, type Position } from '../position.ts';
import type { Problem } from '../problem.ts';
import { type Indented, indentFlow } from './indentation.ts';

/** The deepest nesting of maps and lists, aliases expanded. */
export const MAX_DEPTH = 100;

const NO_KEY = 'did not find expected key';

/** js-yaml's reasons and the wording of the original for them (workflow-language 1.7); other reasons are kept. */
const WORDINGS: readonly { reason: RegExp; text: string }[] = [
  { reason: /end of the (stream|document) within a flow collection/, text: 'did not find expected node content' },
  { reason: /expected the node content/, text: 'did not find expected node content' },
  { reason: /deficient indentation/, text: "did not find expected ',' or '}'" },
  { reason: /missed comma between flow/, text: "did not find expected ',' or ']'" },
  { reason: /tab characters/, text: 'found character that cannot start any token' },
  { reason: /within a (single|double) quoted scalar/, text: 'found unexpected end of stream' },
  { reason: /unknown escape sequence/, text: 'found unknown escape character' },
  { reason: /multiline key|expected ':' after a mapping key/, text: "could not find expected ':'" },
  { reason: /bad indentation of a mapping entry/, text: NO_KEY },
  { reason: /bad indentation of a sequence entry/, text: "did not find expected '-' indicator" },
  { reason: /document separator is expected/, text: 'did not find expected <document start>' },
  { reason: /non-printable|null byte|valid JSON character/, text: 'control characters are not allowed' },
  { reason: /maxDepth/, text: `exceeded max depth of ${MAX_DEPTH}` },
];

const HINTS: readonly { line: RegExp; hint: string }[] = [
  { line: /\b(jq|js)\(/, hint: "quote a query that contains ': ', '{', ',' or '#', for example 'jq({x: .a})'" },
  { line: /^\s*\t/, hint: 'indent with spaces: YAML does not allow tabs there' },
  { line: /:\s+[@`%]/, hint: "a value that begins with '@', '`' or '%' needs quotes" },
  { line: /:\s.*\S:(\s|$)/, hint: "quote a value that contains ': '" },
  { line: /^\s*-[^\s-]|^[^:]*\w:[^\s/]/, hint: "write a blank after '-' and after ':'" },
];

/** The events of a text. Offsets refer to `text`; `at` converts them to positions in the source. */
export interface EventStream {
  readonly events: readonly Event[];
  readonly text: string;
  readonly at: (offset: number) => Position;
}

/** Returns the events of the first document. The rest of the source is not parsed, as in the original. */
export function parseFirstDocument(source: string): EventStream | { problem: Problem } {
  const first = { text: firstDocument(source), added: new Map<number, number>() };
  const parsed = parse(first);
  const isTooShallow = 'failure' in parsed && /deficient indentation/.test(parsed.failure.message);
  const again = isTooShallow ? parse(indentFlow(first.text)) : parsed;
  return 'failure' in again ? { problem: syntaxProblem(again.failure, again) } : again;
}

function parse({ text, added }: Indented): EventStream | (Omit<EventStream, 'events'> & { failure: Error }) {
  const place = createLocator(text);
  const at = (offset: number): Position => {
    const { line, column } = place(offset);
    return { line, column: Math.max(1, column - (added.get(line) ?? 0)) };
  };
  try {
    return { events: parseEvents(text, { maxDepth: MAX_DEPTH }), text, at };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { failure: error, text, at };
  }
}

/** A `---` or `...` at the beginning of a line always ends a document, so it is found without a parser. */
function firstDocument(source: string): string {
  // Each line break matches in one way only: with two ways, the expression would try 2^n combinations.
  const begin =
    /^\uFEFF?(?:(?:[ \t]*(?:#[^\r\n]*)?|%[^\r\n]*)(?:\r(?!\n)|\r?\n))*---(?=\s|$)/.exec(source)?.[0].length ?? 0;
  const rest = source.slice(begin);
  const end = /(?:^|\r\n|\r|\n)(?:---|\.\.\.)(?=\s|$)/.exec(rest);
  if (end === null) return source;
  return source.slice(0, begin + end.index + (/^[\r\n]*/.exec(end[0])?.[0].length ?? 0));
}

function syntaxProblem(error: Error, { text, at }: Omit<EventStream, 'events'>): Problem {
  const reason = error instanceof YAMLException ? error.reason : error.message;
  const offset = error instanceof YAMLException ? Math.min(error.mark?.position ?? 0, text.length) : 0;
  const place = at(reportedOffset(offset, reason, text));
  const written = lineAround(text, place);
  const hint = HINTS.find((row) => row.line.test(written))?.hint;
  const message = `yaml: line ${place.line}: ${wordingOf(reason, written)}`;
  return { message, ...place, ...omitUndefined({ hint }) };
}

function wordingOf(reason: string, written: string): string {
  const text = WORDINGS.find((row) => row.reason.test(reason))?.text ?? reason;
  const hasSecondColon = /:\s.*\S:(\s|$)/.test(written);
  return text === NO_KEY && hasSecondColon ? 'mapping values are not allowed in this context' : text;
}

/** An unclosed bracket or quote is reported at the end of the text; the last line that is not blank is more useful. */
function reportedOffset(offset: number, reason: string, text: string): number {
  const isAtEnd = text.slice(offset).trim() === '' || reason.includes('multiline key');
  return isAtEnd ? Math.max(0, text.slice(0, offset).trimEnd().length - 1) : offset;
}

/** Returns at most 400 characters: the expressions of HINTS would take quadratic time on a line of a megabyte. */
function lineAround(text: string, { line, column }: Position): string {
  const written = createSourceText(text).lineAt(line);
  return written.slice(Math.max(0, column - 200), column + 200);
}

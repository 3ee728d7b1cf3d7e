import { type Event, parseEvents, YAMLException } from 'js-yaml';
import { type Position, positions } from '../position.ts';
import type { Problem } from '../problem.ts';
import { type Indented, indentFlow } from './indentation.ts';

/** Collections may stand in each other this deep, also by way of aliases. */
export const MOST_DEPTH = 100;

const NO_KEY = 'did not find expected key';

/** The parser's reasons in the wording that existing clients know; where none fits, its own reason is shown. */
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
  { reason: /maxDepth/, text: `exceeded max depth of ${MOST_DEPTH}` },
];

const HINTS: readonly { line: RegExp; hint: string }[] = [
  { line: /\b(jq|js)\(/, hint: "quote a query that contains ': ', '{', ',' or '#', for example 'jq({x: .a})'" },
  { line: /^\s*\t/, hint: 'indent with spaces: YAML forbids tabs there' },
  { line: /:\s+[@`%]/, hint: "a value that begins with '@', '`' or '%' needs quotes" },
  { line: /:\s.*\S:(\s|$)/, hint: "quote a value that contains ': '" },
  { line: /^\s*-[^\s-]|^[^:]*\w:[^\s/]/, hint: "put a blank after '-' and after ':'" },
];

/** What the parser made of a text; offsets are those of `text`, which `at` turns into places of the source. */
export interface Parsed {
  readonly events: readonly Event[];
  readonly text: string;
  readonly at: (offset: number) => Position;
}

/** The events of the first document only: what follows it is not even parsed, as existing clients expect. */
export function readEvents(source: string): Parsed | { problem: Problem } {
  const first = { text: firstDocument(source), added: new Map<number, number>() };
  const parsed = parse(first);
  const isShallow = 'failure' in parsed && /deficient indentation/.test(parsed.failure.message);
  const again = isShallow ? parse(indentFlow(first.text)) : parsed;
  return 'failure' in again ? { problem: syntaxProblem(again.failure, again) } : again;
}

function parse({ text, added }: Indented): Parsed | (Omit<Parsed, 'events'> & { failure: Error }) {
  const place = positions(text);
  const at = (offset: number): Position => {
    const { line, column } = place(offset);
    return { line, column: Math.max(1, column - (added.get(line) ?? 0)) };
  };
  try {
    return { events: parseEvents(text, { maxDepth: MOST_DEPTH }), text, at };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { failure: error, text, at };
  }
}

/** A `---` or `...` at the start of a line ends a document wherever it stands, so no parser is needed to find it. */
function firstDocument(source: string): string {
  // A line break is matched in one way only: two ways would try 2^n of them before giving up.
  const begin = /^\uFEFF?(?:(?:[ \t]*(?:#.*)?|%.*)(?:\r(?!\n)|\r?\n))*---(?=\s|$)/.exec(source)?.[0].length ?? 0;
  const rest = source.slice(begin);
  const end = /(?:^|\r\n|\r|\n)(?:---|\.\.\.)(?=\s|$)/.exec(rest);
  if (end === null) return source;
  return source.slice(0, begin + end.index + (/^[\r\n]*/.exec(end[0])?.[0].length ?? 0));
}

function syntaxProblem(error: Error, { text, at }: Omit<Parsed, 'events'>): Problem {
  const reason = error instanceof YAMLException ? error.reason : error.message;
  const offset = error instanceof YAMLException ? Math.min(error.mark?.position ?? 0, text.length) : 0;
  const place = at(blamed(offset, reason, text));
  const written = lineAround(text, place);
  const hint = HINTS.find((row) => row.line.test(written))?.hint;
  const message = `yaml: line ${place.line}: ${worded(reason, written)}`;
  return { message, ...place, ...(hint === undefined ? {} : { hint }) };
}

function worded(reason: string, written: string): string {
  const text = WORDINGS.find((row) => row.reason.test(reason))?.text ?? reason;
  const hasSecondColon = /:\s.*\S:(\s|$)/.test(written);
  return text === NO_KEY && hasSecondColon ? 'mapping values are not allowed in this context' : text;
}

/** A thing that is never closed is found at the end of the text; its last line with anything on it says more. */
function blamed(offset: number, reason: string, text: string): number {
  const isAtEnd = text.slice(offset).trim() === '' || reason.includes('multiline key');
  return isAtEnd ? Math.max(0, text.slice(0, offset).trimEnd().length - 1) : offset;
}

/** At most 400 characters: the expressions above would take quadratic time on a line of a megabyte. */
function lineAround(text: string, { line, column }: Position): string {
  const written = text.split(/\r\n|\r|\n/)[line - 1] ?? '';
  return written.slice(Math.max(0, column - 200), column + 200);
}

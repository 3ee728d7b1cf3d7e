import { commandProblem } from './commands.ts';
import { routeProblem } from './requests.ts';

/** The words of a command line up to its end, a pipe, or the column of its explanation, without quotes. */
export function wordsOf(text: string): string[] {
  const [line = ''] = text.split(/ {2,}|[|;&#>)]/);
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

/** Why a text is no JSON; undefined if it is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const REQUEST = /^(GET|PUT|POST|PATCH|DELETE) (\/\S*)\s*(\{.*)?$/;

/** The kinds of lines that are judged; a body may be in the next line. */
const LINES: readonly (readonly [RegExp, (line: string, next: string) => string | undefined])[] = [
  [/^(?:[A-Z_]+=\S+ )*(?:weft|npm) /, (line) => commandProblem(wordsOf(line.replace(/^(?:[A-Z_]+=\S+ )*/, '')))],
  [
    REQUEST,
    (line, next) => {
      const [, method = '', target = '', body = next.startsWith('{') ? next : undefined] = REQUEST.exec(line) ?? [];
      return routeProblem(method, target, body);
    },
  ],
  [/^\{/, jsonProblem],
];

/**
 * What is wrong in lines as they are typed, sent and printed: commands, requests and JSON, or one JSON text of several
 * lines. A line of another kind is output, which stands below one of these.
 */
export function transcriptProblems(text: string): string[] {
  if (jsonProblem(text) === undefined) return [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const judges = lines.map((line) => LINES.find(([sign]) => sign.test(line))?.[1]);
  if (judges[0] === undefined) return ['begins with no command, no request and no JSON'];
  return lines.flatMap((line, at) => judges[at]?.(line, lines[at + 1] ?? '') ?? []);
}

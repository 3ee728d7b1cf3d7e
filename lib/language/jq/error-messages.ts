/**
 * Returns the message of a failed jq program: in the words of the original where they are known (workflow-language 5.5),
 * else in jq's own. `stderr` is jq's standard error for a program in which the user's `source` begins on the second line.
 */
export function jqErrorMessage(stderr: string, source: string): string {
  const failed = /^jq: error \(at [^)]*\)( \(not a string\))?: ([\s\S]*)$/.exec(stderr);
  if (failed !== null) return runtimeProblem(failed[2] ?? '', failed[1] !== undefined, source);
  const refused = /^jq: error: (.*)/.exec(stderr)?.[1];
  if (refused !== undefined) return compileProblem(refused, stderr, source);
  // Only halt_error can write a text of any other form.
  return `halt error: ${stderr}`;
}

function runtimeProblem(message: string, isValue: boolean, source: string): string {
  if (message === 'break') return 'no more inputs';
  const raised = isValue || (/\berror\b/.test(source) && !BUILT_IN.test(message));
  return raised ? `error: ${message}` : message;
}

/** The form of jq's own messages, as opposed to those that a program raises by `error(...)`. */
const BUILT_IN =
  /^Cannot |^(null|boolean|number|string|array|object) (\(|\w+ )|\bcannot be |\bmust be |\bnot valid\b|^Invalid |\brequires? |too large$/;

function compileProblem(message: string, stderr: string, source: string): string {
  const [text = message, place] = message.split(' at <top-level>, ');
  const unknown = /^(\$?)([^ ]+) is not defined$/.exec(text);
  if (unknown !== null) return `${unknown[1] ? 'variable' : 'function'} not defined: ${unknown[1]}${unknown[2]}`;
  return text.startsWith('syntax error') ? `unexpected token ${unexpected(text, place, stderr, source)}` : text;
}

function unexpected(text: string, place: string | undefined, stderr: string, source: string): string {
  const [line = 0, column = 0] = (place?.match(/\d+/g) ?? []).map(Number);
  const length = /\^+/.exec(stderr.split('\n')[2] ?? '')?.[0].length ?? 1;
  // The user's program begins on line 2. An error behind its last line means that the program is incomplete.
  const token = source.split('\n')[line - 2]?.slice(column - 1, column - 1 + length);
  return token === undefined || text.includes('unexpected end of file') ? '<EOF>' : JSON.stringify(token);
}

/**
 * The detail of a failed jq query, in the words existing clients know where there are such words, else in jq's own.
 * `stderr` is what jq wrote about a program whose script begins on its second line.
 */
export function jqProblem(stderr: string, source: string): string {
  const failed = /^jq: error \(at [^)]*\)( \(not a string\))?: ([\s\S]*)$/.exec(stderr);
  if (failed !== null) return runtimeProblem(failed[2] ?? '', failed[1] !== undefined, source);
  const refused = /^jq: error: (.*)/.exec(stderr)?.[1];
  if (refused !== undefined) return compileProblem(refused, stderr, source);
  // Only halt_error writes whatever it likes.
  return `halt error: ${stderr}`;
}

function runtimeProblem(message: string, isValue: boolean, source: string): string {
  if (message === 'break') return 'no more inputs';
  const raised = isValue || (/\berror\b/.test(source) && !BUILT_IN.test(message));
  return raised ? `error: ${message}` : message;
}

/** How jq's own messages begin or end, as opposed to what a script raises by `error(...)`. */
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
  // Line 1 is ours; past the last line of the script stands what closes it, where the script should have gone on.
  const token = source.split('\n')[line - 2]?.slice(column - 1, column - 1 + length);
  return token === undefined || text.includes('unexpected end of file') ? '<EOF>' : JSON.stringify(token);
}

import { JqSyntaxError } from '../../language/jq/syntax/errors.ts';
import { unknownNames } from '../../language/jq/syntax/names.ts';
import { programOf } from '../document/scripts.ts';
import type { ScriptChange } from '../reports/rule.ts';

const insert = (from: number, text: string): ScriptChange => ({ from, to: from, text });

/** The source after a change. */
export const changed = (source: string, { from, to, text }: ScriptChange): string =>
  source.slice(0, from) + text + source.slice(to);

/** Corrections of an index or a slice whose bracket has nothing in it: the first element. */
function emptyIndexes(source: string, offset: number): ScriptChange[] {
  const found = [...source.matchAll(/\[(?=\s*(?:[|)},;]|$))/g)].filter(({ index }) => index <= offset + 1);
  const last = found.at(-1);
  return last === undefined ? [] : [insert(last.index + 1, '0]')];
}

/** The ends of an `if` that is not complete. Without `else`, the result is the input. */
function endsOfIf(source: string): ScriptChange[] {
  if (!/\bif\b/.test(source)) return [];
  const at = source.trimEnd().length;
  return [' end', ' . end', ' then . end', ' else . end'].map((text) => insert(at, text));
}

const CLOSING = [']', '}', '"', '"]', '"}', '}]', ']}', '] }'];

/** Possible corrections of a program that cannot be parsed, the most likely first. */
function changesOf(source: string, { offset, message }: JqSyntaxError): ScriptChange[] {
  const isEscape = message.startsWith('unknown escape sequence');
  const [token = ''] = /^\w+|^./.exec(source.slice(offset)) ?? [];
  return [
    ...(isEscape ? [insert(offset, '\\')] : []),
    ...(source[offset] === '=' ? [{ from: offset, to: offset + 1, text: ':' }] : []),
    ...emptyIndexes(source, offset),
    ...endsOfIf(source),
    ...CLOSING.map((text) => insert(source.trimEnd().length, text)),
    insert(offset, '| '),
    insert(offset, ', '),
    ...(token.trim() === '' ? [] : [{ from: offset, to: offset + token.length, text: '' }]),
  ];
}

/** Corrections tried one after the other, as a program may have several mistakes of the same kind. */
const MAX_ROUNDS = 4;

/**
 * Returns a change after which a jq program can be parsed and knows all its names; undefined if none of the usual ones
 * does. A mistake that is made several times, as a backslash, is corrected at each place.
 */
export function correctedJq(source: string, error: JqSyntaxError): readonly ScriptChange[] | undefined {
  for (const change of changesOf(source, error)) {
    const changes = repeated(source, change);
    if (changes !== undefined) return changes;
  }
  return undefined;
}

/** The change, and the same one at the places of the errors that are left; undefined if an error of another kind is left. */
function repeated(source: string, first: ScriptChange): readonly ScriptChange[] | undefined {
  const changes = [first];
  let text = changed(source, first);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const program = programOf(text);
    if (!(program instanceof JqSyntaxError)) return unknownNames(program).length === 0 ? changes : undefined;
    if (first.text !== '\\' || !program.message.startsWith('unknown escape')) return undefined;
    // The offset in the text without the backslashes added so far, each before this one.
    changes.push(insert(program.offset - changes.length, '\\'));
    text = changed(text, insert(program.offset, '\\'));
  }
  return undefined;
}

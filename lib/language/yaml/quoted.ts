import { getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { ownMember } from '../own-members.ts';

/** Line breaks of YAML 1.1 that YAML 1.2 does not have: next line, line separator, paragraph separator. */
const OLD_BREAK = /[\u0085\u2028\u2029]/;
const BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/g;
/** Line breaks with the blanks around them. The assertion keeps the time linear. */
const BLANKS = /(?<![ \t])[ \t]*(?:(?:\r\n|[\r\n\u0085\u2028\u2029])[ \t]*)+/g;
const ESCAPE_OR_BLANKS = new RegExp(`\\\\[^\\u0085\\u2028\\u2029]|${BLANKS.source}`, 'g');

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\u2028': '\\L', '\u2029': '\\P' };

/** Folds line breaks as the original does: the separators are kept, without the blanks around them. */
function folded(breaks: string): string {
  const [first = '', ...others] = (breaks.match(BREAK) ?? []).map((each) =>
    /[\u2028\u2029]/.test(each) ? each : '\n',
  );
  const rest = others.join('');
  if (first !== '\n') return first + rest;
  return rest === '' ? ' ' : rest;
}

/**
 * Returns the text of a scalar. In quoted texts the line breaks of YAML 1.1 are breaks, as in the original (js-yaml takes
 * them for letters).
 */
export function textOf(source: string, event: ScalarEvent): string {
  const { style, valueStart, valueEnd } = event;
  const isDouble = style === SCALAR_STYLE.DOUBLE_QUOTED;
  if (!isDouble && style !== SCALAR_STYLE.SINGLE_QUOTED) return getScalarValue(source, event);
  const written = source.slice(valueStart, valueEnd);
  if (!OLD_BREAK.test(written)) return getScalarValue(source, event);
  if (!isDouble) return written.replace(BLANKS, folded).replaceAll("''", "'");
  const text = written.replace(ESCAPE_OR_BLANKS, (found) =>
    found[0] === '\\' || !OLD_BREAK.test(found)
      ? found
      : folded(found).replace(/[\n\u2028\u2029]/g, (letter) => ownMember(ESCAPES, letter) ?? letter),
  );
  return getScalarValue(text, { ...event, valueStart: 0, valueEnd: text.length, fast: false });
}

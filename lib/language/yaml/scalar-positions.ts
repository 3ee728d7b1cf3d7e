import type { Position, SourceText } from '../position.ts';
import type { ScalarNode } from './node.ts';

const BLOCK_HEADER = /[-+\d]*[ \t]*(?:#[^\r\n]*)?(?=[\r\n]|$)/y;
const ESCAPE = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[\s\S])/y;

/** Returns where the content of a scalar begins, and how it is quoted. */
function contentOf(source: string, from: number): { begin: number; quote: '"' | "'" | '' } {
  const first = source[from];
  if (first === '"' || first === "'") return { begin: from + 1, quote: first };
  const isHeader = first === '|' || first === '>';
  const header = isHeader || /[|>]/.test(source[from - 1] ?? '') ? from + (isHeader ? 1 : 0) : -1;
  BLOCK_HEADER.lastIndex = Math.max(0, header);
  return { begin: header >= 0 && BLOCK_HEADER.test(source) ? BLOCK_HEADER.lastIndex : from, quote: '' };
}

/** The length of one character of the value in the source; 0 if the character at the offset is not part of it. */
function writtenLength(source: string, offset: number, quote: string, letter: string): number {
  if (quote === "'" && letter === "'") return source.startsWith("''", offset) ? 2 : 0;
  if (quote !== '"' || source[offset] !== '\\') return source[offset] === letter ? 1 : 0;
  ESCAPE.lastIndex = offset;
  const [sequence = '\\'] = ESCAPE.exec(source) ?? [];
  return /^\\[\r\n]/.test(sequence) ? 0 : sequence.length;
}

const isBlank = (letter: string | undefined): boolean => letter !== undefined && /\s/.test(letter);

/**
 * Returns a function from an offset in the text of a scalar to its position in the source. Escapes, folded lines and the
 * indentation of blocks are taken into account. Takes linear time.
 */
export function createScalarLocator(source: SourceText, node: ScalarNode): (offset: number) => Position {
  const { text } = source;
  const { begin, quote } = contentOf(text, source.offsetOf(node));
  const offsets: number[] = [];
  let from = begin;
  for (const letter of Array.from({ length: node.text.length }, (_, index) => node.text[index] ?? '')) {
    let length = writtenLength(text, from, quote, letter);
    // A character outside the value is indentation, the fold of a line, or part of an escaped line break.
    while (length === 0 && from < text.length && (isBlank(text[from]) || text[from] === '\\') && !isBlank(letter)) {
      from += 1;
      length = writtenLength(text, from, quote, letter);
    }
    offsets.push(from);
    from += length === 0 && isBlank(letter) && isBlank(text[from]) ? 1 : length;
  }
  offsets.push(from);
  return (offset) => source.at(offsets[Math.min(Math.max(0, offset), offsets.length - 1)] ?? begin);
}

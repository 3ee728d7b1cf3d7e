/** A position in a source text. Both numbers are one-based; columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns a function from an offset in the text to its position, in logarithmic time. `\n`, `\r\n` and `\r` end a line, as
 * in YAML.
 */
export const createLocator = (source: string): ((offset: number) => Position) => locatorOf(startsOf(source));

/** The offsets at which the lines of a text begin. */
function startsOf(text: string): readonly number[] {
  const starts = [0];
  for (const lineBreak of text.matchAll(/\r\n|\r|\n/g)) starts.push(lineBreak.index + lineBreak[0].length);
  return starts;
}

function locatorOf(starts: readonly number[]): (offset: number) => Position {
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** A source text whose positions can be converted to offsets and back. */
export interface SourceText {
  readonly text: string;
  /** The offset of a position, at most the length of the text. */
  readonly offsetOf: (position: Position) => number;
  readonly at: (offset: number) => Position;
  /** The line with a number, without its line break; empty for a line that the text does not have. */
  readonly lineAt: (line: number) => string;
}

/** Creates the source text of a text. */
export function createSourceText(text: string): SourceText {
  const starts = startsOf(text);
  const offsetOf = ({ line, column }: Position) =>
    Math.min((starts[line - 1] ?? text.length) + column - 1, text.length);
  const lineAt = (line: number) => text.slice(starts[line - 1] ?? text.length, starts[line]).replace(/[\r\n]+$/, '');
  return { text, offsetOf, at: locatorOf(starts), lineAt };
}

import { isDeepStrictEqual } from 'node:util';
import { createSourceText, type SourceText } from '../../language/position.ts';
import { type Json, type MapNode, parseYaml } from '../../language/yaml/parser.ts';

type Fields = Readonly<Record<string, Json>>;

/** The end of the root of a document, and the text that takes the place of a part of it with as many lines. */
interface Shape {
  readonly end: number;
  readonly blank: (part: string) => string;
}

const flowShape = (source: string): Shape => ({
  end: source.lastIndexOf('}'),
  blank: (part) => part.replace(/[^\r\n]/g, ' '),
});

// A line of blanks would belong to a block of text before it, a comment does not.
const blockShape = (source: string): Shape => ({
  end: source.length,
  blank: (part) => part.replace(/[^\r\n]*\S[^\r\n]*/g, '#'),
});

/** The text without fields of the root: every other character keeps its place. */
function withoutFields(
  { text, offsetOf }: SourceText,
  { entries }: MapNode,
  { end, blank }: Shape,
  names: readonly string[],
): string {
  const begins = [...entries.values()].map((entry) => ({ key: entry.key, from: offsetOf(entry) }));
  const ordered = begins.toSorted((a, b) => a.from - b.from);
  const parts: string[] = [];
  let done = 0;
  for (const [index, { key, from }] of ordered.entries()) {
    if (!names.includes(key)) continue;
    const to = ordered[index + 1]?.from ?? end;
    parts.push(text.slice(done, from), blank(text.slice(from, to)));
    done = to;
  }
  return parts.join('') + text.slice(done);
}

function withFields(source: string, root: MapNode, fields: Fields): string {
  const text = createSourceText(source);
  const isFlow = source[text.offsetOf(root)] === '{';
  const shape = isFlow ? flowShape(source) : blockShape(source);
  const left = withoutFields(text, root, shape, Object.keys(fields));
  const added = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (!isFlow) return [left, ...added.map((line) => ' '.repeat(root.column - 1) + line)].join('\n');
  const before = left.slice(0, shape.end);
  return `${before}${/[{,]\s*$/.test(before) ? '' : ', '}${added.join(', ')}${left.slice(shape.end)}`;
}

/**
 * A document with other values of some fields of its root, which it has. All other parts keep their lines and columns: the
 * values are written at the end. Of a document where that is not possible, as another part refers to an anchor in a value,
 * only the meaning is kept.
 */
export function overwriteFields(source: string, root: MapNode, fields: Fields): string {
  const meaning = { ...root.value, ...fields };
  const text = withFields(source, root, fields);
  const parsed = parseYaml(text);
  return 'root' in parsed && isDeepStrictEqual(parsed.root.value, meaning) ? text : JSON.stringify(meaning);
}

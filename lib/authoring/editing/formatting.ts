import { isDeepStrictEqual } from 'node:util';
import { parseDocument } from 'yaml';
import { parseYaml } from '../../language/yaml/parser.ts';

/**
 * Formats a workflow text: two spaces a level, one blank after colons and dashes, no blanks at the end of a line. Comments,
 * blank lines, quotes and the style of lists and maps stay. Returns undefined for a text that is not YAML, and for one
 * whose meaning would change, which is never written.
 */
export function format(text: string): string | undefined {
  const before = parseYaml(text);
  if ('problems' in before) return undefined;
  const document = parseDocument(text, { merge: true, keepSourceTokens: false, strict: false });
  if (document.errors.length > 0) return undefined;
  const formatted = document.toString({
    indent: 2,
    indentSeq: false,
    lineWidth: 0,
    flowCollectionPadding: false,
    minContentWidth: 0,
  });
  const after = parseYaml(formatted);
  const isSame = !('problems' in after) && isDeepStrictEqual(before.root.value, after.root.value);
  return isSame ? formatted : undefined;
}

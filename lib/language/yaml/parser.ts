import type { Problem } from '../problem.ts';
import { compose } from './composer.ts';
import { parseFirstDocument } from './events.ts';
import type { Node } from './node.ts';

export type { Entry, Json, ListNode, MapNode, Node, ScalarNode } from './node.ts';

/** A longer text is rejected unread. */
const MAX_CHARACTERS = 1024 * 1024;

/**
 * Parses the first document of a YAML text into nodes with positions (workflow-language 1.1). The root is a map, or null
 * for an empty document. Never throws; the time is bounded for every text.
 */
export function parseYaml(source: string): { root: Node } | { problems: Problem[] } {
  if (source.length > MAX_CHARACTERS) return { problems: [tooLong()] };
  const read = parseFirstDocument(source);
  if ('problem' in read) return { problems: [read.problem] };
  const composed = compose(read);
  if ('problems' in composed) return composed;
  return isMapOrNull(composed.root) ? composed : { problems: [notAMap(composed.root)] };
}

function tooLong(): Problem {
  const hint = 'move parts of it into subflows';
  return { message: `yaml: the document is longer than ${MAX_CHARACTERS} characters`, line: 1, column: 1, hint };
}

function isMapOrNull(root: Node): boolean {
  return root.kind === 'map' || (root.kind === 'scalar' && root.value === null);
}

function notAMap({ line, column, ...root }: Node): Problem {
  const what = root.kind === 'scalar' ? `${root.tag} \`${shortened(root.text)}\`` : '!!seq';
  const text = `line ${line}: cannot unmarshal ${what} into map[string]interface {}`;
  const hint = 'a document is a map: lines of the form `name: value`';
  return { message: `yaml: unmarshal errors:\n  ${text}`, line, column, hint };
}

function shortened(text: string): string {
  return text.length > 10 ? `${text.slice(0, 7)}...` : text;
}

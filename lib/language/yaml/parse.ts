import type { Problem } from '../problem.ts';
import { compose } from './compose.ts';
import type { Node } from './node.ts';
import { readEvents } from './syntax.ts';

export type { Entry, Json, ListNode, MapNode, Node, ScalarNode } from './node.ts';

const LONGEST = 1024 * 1024;

/**
 * Reads the first document of a YAML text, every node with its place (workflow-language reference, 1.1). The root is a
 * map, or null for a document without content. Never throws; the time is bounded whatever the text is.
 */
export function readYaml(source: string): { root: Node } | { problems: Problem[] } {
  if (source.length > LONGEST) return { problems: [tooLong()] };
  const read = readEvents(source);
  if ('problem' in read) return { problems: [read.problem] };
  const composed = compose(read);
  if ('problems' in composed) return composed;
  return isMapOrNull(composed.root) ? composed : { problems: [notAMap(composed.root)] };
}

function tooLong(): Problem {
  const hint = 'move parts of it into subflows';
  return { message: `yaml: the document is longer than ${LONGEST} characters`, line: 1, column: 1, hint };
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

import type { Node } from '../../language/yaml/parser.ts';

/** The other kinds of definition files of Direktiv, and their replacements. */
const KINDS: readonly (readonly [kind: RegExp, what: string, instead: string])[] = [
  [/^(?:endpoint|gateway)\b/, 'a gateway route', 'call the workflow by its own route (docs/api.md)'],
  [/^consumer\b/, 'a gateway consumer', "create a key: 'weft keys create'"],
  [/^services?\b/, 'a service', 'create it by the API (docs/containers.md)'],
  [/^page\b/, 'a page of the web interface', 'the console needs none'],
  [/^filters?\b/, 'filters of events', 'create them by the API (docs/events.md)'],
];

const FIELDS = ['direktiv_api', 'x-direktiv-api'];

/** A file of Direktiv that defines something else than a workflow. */
export interface OtherKind {
  readonly at: Node;
  /** With its article. */
  readonly what: string;
  readonly instead: string;
}

/** Returns what a file defines, by its field `direktiv_api`; undefined for a workflow, and for a kind that is not known. */
export function otherKindOf(root: Node): OtherKind | undefined {
  if (root.kind !== 'map') return undefined;
  for (const name of FIELDS) {
    const node = root.entries.get(name)?.node;
    const row = KINDS.find(([kind]) => typeof node?.value === 'string' && kind.test(node.value));
    if (node !== undefined && row !== undefined) return { at: node, what: row[1], instead: row[2] };
  }
  return undefined;
}

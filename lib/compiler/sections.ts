import type { Position } from '../language/position.ts';
import { addProblem, type Problem } from '../language/problem.ts';
import type { Entry, MapNode, Node } from '../language/yaml/parser.ts';
import { type Budget, type Context, createContext, type MessagePrefixes } from './decoding/context.ts';
import { decodeVariant, type Union } from './decoding/variants.ts';

/** A decoded part of a document: its start, a state or a function. */
export interface Part<Lowered> extends Position {
  /** The id, if it can be decoded; other parts may refer to it even if the rest of the part is wrong. */
  readonly id?: string;
  readonly context: Context;
  /** Makes the plan of the part. May be called only if the document has no problems. */
  readonly lower?: (() => Lowered) | undefined;
}

/** A list of parts in a document: the name of a part, and the union of its types. */
export interface Section<Lowered> {
  readonly name: 'state' | 'function';
  readonly types: Union<Lowered>;
}

/** The parts that the decoding of a section needs beside its own entry. */
export interface SectionScope {
  readonly budget: Budget;
  /** Receives problems of the section itself; those of a part go to its context. */
  readonly problems: Problem[];
}

const MINIMAL_WORKFLOW = 'the smallest workflow is `states: [{id: first, type: noop}]`';

/** The problem of a document without states, at a position. */
export function noStates({ line, column }: Position): Problem {
  return { message: 'workflow has no defined states', line, column, hint: MINIMAL_WORKFLOW };
}

/** The most parts of each section. */
export const MAX_PARTS: Readonly<Record<Section<unknown>['name'], number>> = { state: 10_000, function: 1000 };

/** Returns the entry with this lower-case name; names of fields match in any case (workflow-language 1.2). */
export function findEntry(map: MapNode, name: string): Entry | undefined {
  return [...map.entries.values()].find((entry) => entry.key.toLowerCase() === name);
}

const prefixesOf = (part: string): MessagePrefixes => ({
  undecodable: `failed to decode ${part}: `,
  untyped: `${part}: `,
  unknownType: `${part}: `,
  invalid: `${part}: `,
});

/** Decodes the list of states, which is required, or of functions; either must be a list (workflow-language 1.3). */
export function decodeSection<Lowered>(root: MapNode, section: Section<Lowered>, scope: SectionScope): Part<Lowered>[] {
  const { name } = section;
  const { problems, budget } = scope;
  const entry = findEntry(root, `${name}s`);
  if (entry === undefined) {
    if (name === 'state') addProblem(problems, root, 'states required', () => MINIMAL_WORKFLOW);
    return [];
  }
  if (entry.node.kind !== 'list') {
    addProblem(problems, entry, `invalid type for ${name}s`, () => `write a list: each ${name} begins with '- '`);
    return [];
  }
  if (entry.node.items.length === 0 && name === 'state') problems.push(noStates(entry));
  const count = entry.node.items.length;
  if (count > MAX_PARTS[name]) {
    const text = `the workflow has ${count} ${name}s, and ${MAX_PARTS[name]} are allowed`;
    addProblem(problems, entry, text, () => 'move some of them into subflows');
    return [];
  }
  return entry.node.items.map((node, index) => {
    const context = createContext(prefixesOf(`${name}[${index}]`), budget);
    return decodePart(node, section.types, context);
  });
}

function decodePart<Lowered>(node: Node, types: Union<Lowered>, context: Context): Part<Lowered> {
  const lower = decodeVariant(node, types, context);
  const id = node.kind === 'map' ? findEntry(node, 'id')?.node : undefined;
  const { line, column } = id ?? node;
  if (typeof id?.value !== 'string') return { line: node.line, column: node.column, context, lower };
  return { line, column, id: id.value, context, lower };
}

import { posix } from 'node:path';
import { IDENTIFIER_PATTERN } from '../../compiler/parts/identifiers.ts';
import type { Position } from '../../language/position.ts';
import { scalarText } from '../../language/yaml/node.ts';
import { calledPath } from '../../lint/document/subflows.ts';
import type { Edit } from '../../lint/reports/finding.ts';
import type { FieldView } from './fields.ts';
import { contains, type OpenText, type Range, rangeOfScalar } from './open-text.ts';

/** The kind of object that a name in a workflow refers to. */
export type NameKind = 'state' | 'function' | 'workflow';

/** A name of a state, function or subflow at a place in a text. */
export interface NamePlace {
  readonly kind: NameKind;
  readonly name: string;
  readonly range: Range;
  /** It is where the state or function is declared. */
  readonly isDeclaration: boolean;
}

function kindOf({ accepts, rules, name }: FieldView): Pick<NamePlace, 'kind' | 'isDeclaration'> | undefined {
  if (accepts?.kind === 'state') return { kind: 'state', isDeclaration: false };
  if (accepts?.kind === 'function') return { kind: 'function', isDeclaration: false };
  if (accepts?.kind === 'identifier')
    return { kind: rules.section === 'functions' ? 'function' : 'state', isDeclaration: true };
  const isSubflow = name === 'workflow' && rules.section === 'functions' && rules.type?.names[0] === 'subflow';
  return isSubflow ? { kind: 'workflow', isDeclaration: false } : undefined;
}

/** Every name of a state, function or subflow in a text, in the order of the text. A part repeated by an alias counts once. */
export function namesIn(text: OpenText): readonly NamePlace[] {
  const found = text.fields().flatMap((field): NamePlace[] => {
    const kind = kindOf(field);
    const range = kind === undefined ? undefined : rangeOfScalar(text, field.entry.node);
    if (kind === undefined || range === undefined) return [];
    return [{ ...kind, name: scalarText(field.entry.node), range }];
  });
  const unique = [...new Map(found.map((one) => [`${one.range.from.line}:${one.range.from.column}`, one])).values()];
  return unique.sort((a, b) => a.range.from.line - b.range.from.line || a.range.from.column - b.range.from.column);
}

/** The name at a position; undefined if there is none. */
export const nameAt = (text: OpenText, at: Position): NamePlace | undefined =>
  namesIn(text).find(({ range }) => contains(range, at));

/** All places of the state or function that is named at a position, its declaration too. */
export function placesOf(text: OpenText, at: Position): readonly NamePlace[] {
  const found = nameAt(text, at);
  return found === undefined
    ? []
    : namesIn(text).filter(({ kind, name }) => kind === found.kind && name === found.name);
}

/** Where the state or function named at a position is declared. */
export const declarationOf = (text: OpenText, at: Position): Range | undefined =>
  placesOf(text, at).find(({ isDeclaration }) => isDeclaration)?.range;

/** The path in the tree of the subflow that is named at a position; `caller` is the path of the text itself. */
export function subflowAt(text: OpenText, at: Position, caller: string): string | undefined {
  const found = nameAt(text, at);
  if (found?.kind === 'workflow') return calledPath(caller, found.name);
  if (found?.kind !== 'function') return undefined;
  const declared = text.workflow()?.functions.find(({ id }) => id === found.name);
  const called = declared?.plan;
  return called?.type === 'subflow' && called.allowed === undefined ? calledPath(caller, called.workflow) : undefined;
}

/** How a text names another workflow: relative to its own folder, or from the root if that is shorter. */
export function subflowReference(caller: string, target: string): string {
  const relative = posix.relative(posix.dirname(`/${caller}`), `/${target}`);
  return relative.startsWith('..') ? `/${target}` : relative;
}

const IDENTIFIER = new RegExp(IDENTIFIER_PATTERN);

/** The result of a rename: the edits, or why the new name is not possible. */
export type Rename = { readonly edits: readonly Edit[] } | { readonly problem: string };

/** Renames the state or function at a position with everything that refers to it. */
export function rename(text: OpenText, at: Position, to: string): Rename {
  const found = nameAt(text, at);
  if (found === undefined || found.kind === 'workflow') return { problem: 'there is no state or function here' };
  if (!IDENTIFIER.test(to)) {
    return { problem: `'${to}' is no id: use lower-case letters, digits, dots, dashes and underscores` };
  }
  const places = placesOf(text, at);
  const isTaken = namesIn(text).some(
    ({ kind, name, isDeclaration }) => isDeclaration && kind === found.kind && name === to,
  );
  if (isTaken && to !== found.name) return { problem: `another ${found.kind} has the id '${to}'` };
  return { edits: places.map(({ range }) => ({ ...range, text: to })) };
}

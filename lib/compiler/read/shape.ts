import type { Position } from '../../language/position.ts';
import type { Json, Node } from '../../language/yaml/parser.ts';
import { isDuration } from '../../time/durations.ts';
import { misread, type Reading, refuse } from './reading.ts';

/** A field's name, and where to point at: at its key, or at the map that should have it. */
export interface Place extends Position {
  readonly name: string;
}

/**
 * Reads what a field holds; the node is undefined for a field that is absent or null, which is the same (workflow-language
 * 1.2). A value is looked at only when nothing was said against the document, so after a problem any value will do.
 */
export type Shape<T> = (node: Node | undefined, place: Place, reading: Reading) => T;

function kindOf(node: Node): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.value === null) return 'nothing';
  return typeof node.value === 'string' ? 'text' : `the ${typeof node.value} ${node.value}`;
}

/** Says that a field holds the wrong kind of value. */
export function misplaced(reading: Reading, node: Node, place: Place, wanted: string): undefined {
  misread(reading, node, `field "${place.name}" must be ${wanted}, not ${kindOf(node)}`, () => quoteHint(node, wanted));
}

function quoteHint(node: Node, wanted: string): string | undefined {
  const isPlain = node.kind === 'scalar' && typeof node.value !== 'string' && node.value !== null;
  return isPlain && wanted === 'text' ? 'put the value in quotes' : undefined;
}

function scalar<T extends string | number | boolean>(
  wanted: string,
  is: (value: Json) => value is T,
): Shape<T | undefined> {
  return (node, place, reading) => {
    if (node === undefined) return undefined;
    return is(node.value) ? node.value : misplaced(reading, node, place, wanted);
  };
}

/** Text, an empty one included. */
export const anyText = scalar('text', (value) => typeof value === 'string');
export const flag = scalar('true or false', (value) => typeof value === 'boolean');
export const number = scalar('a number', (value) => typeof value === 'number');
export const integer = scalar('a whole number', (value): value is number => Number.isSafeInteger(value));

/** Text; an empty one is the same as none. */
export const text: Shape<string | undefined> = (node, place, reading) => anyText(node, place, reading) || undefined;

/** A structured query: any value (workflow-language 5). */
export const query: Shape<unknown> = (node) => node?.value;

/** An ISO 8601 duration (workflow-language 1.6); undefined when it is none. */
export const duration: Shape<string | undefined> = (node, place, reading) => {
  const value = text(node, place, reading);
  if (value === undefined || isDuration(value)) return value;
  refuse(
    reading,
    node ?? place,
    `${place.name} is not a ISO8601 string`,
    () => 'write it like PT30S, PT15M or P1DT12H',
  );
  return undefined;
};

/** One of a few words. */
export function word<T extends string>(words: readonly [T, ...T[]]): Shape<T | undefined> {
  return (node, place, reading) => {
    const value = anyText(node, place, reading);
    const known = words.find((each) => each === value);
    if (value === undefined || node === undefined || known !== undefined) return known;
    const choice = `must be one of [${words.join(' ')}]`;
    misread(reading, node, value === '' ? `${place.name} ${choice}` : `unknown ${place.name} '${value}' (${choice})`);
    return undefined;
  };
}

/** The state a state leads to. Whether there is such a state is asked when all states are known. */
export const transition: Shape<string | undefined> = (node, place, reading) => {
  const name = text(node, place, reading);
  const { line, column } = node ?? place;
  if (name !== undefined) reading.transitions.push({ slot: reading.slot ?? place.name, name, line, column });
  return name;
};

/** A map with names of the user's own. */
export const freeMap: Shape<Readonly<Record<string, unknown>>> = (node, place, reading) => {
  if (node === undefined) return {};
  if (node.kind === 'map') return node.value;
  misplaced(reading, node, place, 'a map');
  return {};
};

/** What must be there, and not be empty. */
export function needed<T>(shape: Shape<T>): Shape<NonNullable<T>> {
  return (node, place, reading) => {
    const value = shape(node, place, reading);
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (isEmpty && (node === undefined || isBlank(node))) refuse(reading, place, `${place.name} required`);
    return value as NonNullable<T>;
  };
}

/** What is empty by itself; anything else that gave no value has been refused for another reason. */
function isBlank(node: Node): boolean {
  return node.value === '' || (node.kind === 'list' && node.items.length === 0);
}

/** As the shape, but what it would refuse passes: some checks the original leaves to the run (workflow-language 1.7). */
export function unchecked<T>(shape: Shape<T>): Shape<T> {
  return (node, place, reading) => shape(node, place, { ...reading, refused: [] });
}

/** How problems in the elements of a list are told. */
export interface Elements {
  /** `conditions` makes it `conditions[0] is invalid: ...`; nothing is put before a refusal without it. */
  readonly as?: string;
  /** `errors` makes the slot of a transition `errors[0]`. */
  readonly slot?: string;
}

/** A list; an absent one is empty. */
export function list<T>(shape: Shape<T>, { as, slot }: Elements = {}): Shape<readonly T[]> {
  return (node, place, reading) => {
    if (node === undefined) return [];
    if (node.kind !== 'list') return misplaced(reading, node, place, 'a list') ?? [];
    return node.items.map((item, index) => {
      const path = as === undefined ? reading.path : `${reading.path}${as}[${index}] is invalid: `;
      const within = slot === undefined ? { ...reading, path } : { ...reading, path, slot: `${slot}[${index}]` };
      return shape(item, { name: `${place.name}[${index}]`, line: item.line, column: item.column }, within);
    });
  };
}

/** A shape whose refusals begin with `<name> is invalid: `. */
export function under<T>(shape: Shape<T>): Shape<T> {
  return (node, place, reading) =>
    shape(node, place, { ...reading, path: `${reading.path}${place.name} is invalid: ` });
}

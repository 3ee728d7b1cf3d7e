/** A member of an object shape. */
export interface Member {
  readonly shape: Shape;
  /** It may be absent. */
  readonly isOptional: boolean;
}

/** An object: the members that are known, and whether there may be others. */
export interface ObjectShape {
  readonly kind: 'object';
  readonly members: ReadonlyMap<string, Member>;
  readonly isOpen: boolean;
  /** It is open only because the schema that its workflow has for the data does not exclude other members. */
  readonly isDescribed?: true;
}

/** The possible values, as far as they are known. `never`: no value, because the query fails or has no result. */
export type Shape =
  | { readonly kind: 'any' | 'never' | 'null' | 'boolean' | 'number' | 'string' }
  | { readonly kind: 'array'; readonly items: Shape }
  | ObjectShape
  | { readonly kind: 'union'; readonly options: readonly Shape[] };

export const ANY: Shape = { kind: 'any' };
export const NEVER: Shape = { kind: 'never' };
export const NULL: Shape = { kind: 'null' };
export const BOOLEAN: Shape = { kind: 'boolean' };
export const NUMBER: Shape = { kind: 'number' };
export const STRING: Shape = { kind: 'string' };
export const ANY_OBJECT: ObjectShape = { kind: 'object', members: new Map(), isOpen: true };

/** Deeper parts of a shape are `any`, so that the analysis of a loop ends. */
const MAX_DEPTH = 8;

/** An object with more members is open without known members. */
const MAX_MEMBERS = 200;

/** A list whose elements have this shape. */
export const arrayOf = (items: Shape): Shape => ({ kind: 'array', items });

/** An object with exactly these members. */
export function closed(members: Readonly<Record<string, Shape>>): ObjectShape {
  const entries = Object.entries(members).map(([key, shape]) => [key, { shape, isOptional: false }] as const);
  return { kind: 'object', members: new Map(entries), isOpen: false };
}

/** A shape with more parts is cut at smaller depths, so that the analysis takes little time. */
const MAX_PARTS = 400;

/** The shape without the parts below the maximum depth, and as shallow as the limit of its parts requires. */
export function limited(shape: Shape): Shape {
  for (const depth of [MAX_DEPTH, 4, 2]) if (countParts(shape, depth, MAX_PARTS) >= 0) return cut(shape, depth);
  return shape.kind === 'object' ? ANY_OBJECT : ANY;
}

const SIZES = new WeakMap<Shape, number>();

/** The parts of a shape; one that is shared counts as often as it occurs. */
function sizeOf(shape: Shape): number {
  if (shape.kind !== 'array' && shape.kind !== 'object' && shape.kind !== 'union') return 1;
  const known = SIZES.get(shape);
  if (known !== undefined) return known;
  let size = 1;
  if (shape.kind === 'array') size += sizeOf(shape.items);
  else if (shape.kind === 'union') for (const option of shape.options) size += sizeOf(option);
  else for (const member of shape.members.values()) size += sizeOf(member.shape);
  SIZES.set(shape, size);
  return size;
}

/** The shape, without its parts if there are many: `{a: ., b: .}` doubles them. */
export function compact(shape: Shape): Shape {
  if (sizeOf(shape) <= MAX_PARTS) return shape;
  return shape.kind === 'object' ? ANY_OBJECT : ANY;
}

/** Returns `left` minus the number of parts of a shape down to a depth; negative if the shape has more. */
function countParts(shape: Shape, depth: number, left: number): number {
  if (depth < 0 || left < 0) return left - 1;
  if (shape.kind === 'array') return countParts(shape.items, depth - 1, left - 1);
  let rest = left - 1;
  if (shape.kind === 'union') for (const option of shape.options) rest = countParts(option, depth, rest);
  if (shape.kind === 'object')
    for (const member of shape.members.values()) rest = countParts(member.shape, depth - 1, rest);
  return rest;
}

function cut(shape: Shape, depth: number): Shape {
  if (depth < 0) return ANY;
  if (shape.kind === 'array') return arrayOf(cut(shape.items, depth - 1));
  if (shape.kind === 'union') return unionOf(shape.options.map((one) => cut(one, depth)));
  if (shape.kind !== 'object') return shape;
  if (shape.members.size > MAX_MEMBERS) return ANY_OBJECT;
  const members = [...shape.members].map(
    ([key, member]) => [key, { ...member, shape: cut(member.shape, depth - 1) }] as const,
  );
  return { ...shape, members: new Map(members) };
}

/** The shape of a value that has one of these shapes. */
export function unionOf(shapes: readonly Shape[]): Shape {
  const [sole = NEVER] = shapes;
  if (shapes.every((one) => one === sole)) return sole;
  const options: Shape[] = [];
  for (const shape of shapes.flatMap((one) => (one.kind === 'union' ? one.options : [one]))) {
    if (shape.kind === 'any') return ANY;
    if (shape.kind === 'never') continue;
    const index = options.findIndex((one) => one.kind === shape.kind);
    if (index < 0) options.push(shape);
    else options[index] = joined(options[index] ?? shape, shape);
  }
  const [first = NEVER] = options;
  return options.length <= 1 ? first : { kind: 'union', options };
}

/** The union of two shapes of the same kind. */
function joined(one: Shape, other: Shape): Shape {
  if (one.kind === 'array' && other.kind === 'array') return arrayOf(unionOf([one.items, other.items]));
  if (one.kind !== 'object' || other.kind !== 'object') return one;
  const keys = new Set([...one.members.keys(), ...other.members.keys()]);
  const members = [...keys].map((key) => {
    const [left, right] = [one.members.get(key), other.members.get(key)];
    // In an open object, a member that is not known may be anything.
    const leftShape = left?.shape ?? (one.isOpen ? ANY : NEVER);
    const rightShape = right?.shape ?? (other.isOpen ? ANY : NEVER);
    const isOptional = left === undefined || right === undefined || left.isOptional || right.isOptional;
    return [key, { shape: unionOf([leftShape, rightShape]), isOptional }] as const;
  });
  return { kind: 'object', members: new Map(members), isOpen: one.isOpen || other.isOpen };
}

/** The object options of a shape; undefined if the value may be anything. */
function objectsOf(shape: Shape): readonly ObjectShape[] | undefined {
  const options = shape.kind === 'union' ? shape.options : [shape];
  if (options.some(({ kind }) => kind === 'any')) return undefined;
  return options.filter((one) => one.kind === 'object');
}

/** The shape of a member; a member that may be absent may be null. */
export function memberOf(shape: Shape, key: string): Shape {
  const options = shape.kind === 'union' ? shape.options : [shape];
  return unionOf(options.map((one) => ofOption(one, key)));
}

function ofOption(option: Shape, key: string): Shape {
  if (option.kind === 'any') return ANY;
  if (option.kind === 'null') return NULL;
  if (option.kind !== 'object') return NEVER;
  const member = option.members.get(key);
  if (member === undefined) return option.isOpen ? ANY : NULL;
  return member.isOptional ? unionOf([member.shape, NULL]) : member.shape;
}

/** The shape with a member at a path set, as jq's assignment does: a missing member on the way becomes an object. */
export function withMember(shape: Shape, path: readonly string[], value: Shape): Shape {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (value.kind === 'never') return NEVER;
  const options = shape.kind === 'union' ? shape.options : [shape];
  return unionOf(
    options.map((option) => {
      if (option.kind === 'any') return withMember(ANY_OBJECT, path, value);
      if (option.kind === 'null') return withMember(closed({}), path, value);
      if (option.kind !== 'object') return NEVER;
      const inner = rest.length === 0 ? value : withMember(memberOf(option, key), rest, value);
      const members = new Map(option.members).set(key, { shape: inner, isOptional: false });
      return { ...option, members };
    }),
  );
}

/** The shape without a member at a path. */
export function withoutMember(shape: Shape, path: readonly string[]): Shape {
  const [key, ...rest] = path;
  if (key === undefined) return NULL;
  const options = shape.kind === 'union' ? shape.options : [shape];
  return unionOf(
    options.map((option) => {
      if (option.kind !== 'object') return option;
      const member = option.members.get(key);
      const members = new Map(option.members);
      if (rest.length === 0) {
        members.delete(key);
        return { ...option, members };
      }
      if (member !== undefined) members.set(key, { ...member, shape: withoutMember(member.shape, rest) });
      return { ...option, members };
    }),
  );
}

/** The shape of the elements of a list, or of the members of an object. */
export function elementsOf(shape: Shape): Shape {
  const options = shape.kind === 'union' ? shape.options : [shape];
  return unionOf(
    options.map((option): Shape => {
      if (option.kind === 'any') return ANY;
      if (option.kind === 'array') return option.items;
      if (option.kind !== 'object') return NEVER;
      return option.isOpen ? ANY : unionOf([...option.members.values()].map((member) => member.shape));
    }),
  );
}

/** The shape of `.[0]` and the like: an element, a character of a text, or null. */
export function indexedOf(shape: Shape): Shape {
  const options = shape.kind === 'union' ? shape.options : [shape];
  return unionOf([elementsOf(shape), NULL, ...options.filter(({ kind }) => kind === 'string')]);
}

/** The members that the value certainly lacks `key` among; undefined if it may have the member. */
export function membersWithout(shape: Shape, key: string): readonly string[] | undefined {
  const objects = objectsOf(shape);
  const options = shape.kind === 'union' ? shape.options : [shape];
  if (objects === undefined || objects.length === 0) return undefined;
  if (options.some(({ kind }) => kind !== 'object' && kind !== 'null')) return undefined;
  if (objects.some(({ members, isOpen }) => isOpen || members.has(key))) return undefined;
  return [...new Set(objects.flatMap(({ members }) => [...members.keys()]))];
}

/** The members that are known of an object that may have others; none if it certainly is no such object. */
export function knownMembers(shape: Shape, key: string): readonly string[] {
  const objects = objectsOf(shape) ?? [];
  if (objects.length === 0 || objects.some(({ members }) => members.has(key))) return [];
  return [...new Set(objects.flatMap(({ members }) => [...members.keys()]))];
}

/** The members that a schema describes of an open object; undefined if it has the member, or no schema describes it. */
export function describedWithout(shape: Shape, key: string): readonly string[] | undefined {
  const isOther = shape.kind === 'object' && shape.isDescribed === true && !shape.members.has(key);
  return isOther ? [...shape.members.keys()] : undefined;
}

/** True if two shapes are the same. */
export function isSame(one: Shape, other: Shape): boolean {
  if (one === other) return true;
  if (one.kind === 'array' && other.kind === 'array') return isSame(one.items, other.items);
  if (one.kind === 'union' && other.kind === 'union') {
    return (
      one.options.length === other.options.length &&
      one.options.every((option, at) => isSame(option, other.options[at] ?? NEVER))
    );
  }
  if (one.kind !== 'object' || other.kind !== 'object')
    return one.kind === other.kind && one.kind !== 'array' && one.kind !== 'union';
  if (one.isOpen !== other.isOpen || one.isDescribed !== other.isDescribed || one.members.size !== other.members.size)
    return false;
  return [...one.members].every(([key, member]) => {
    const same = other.members.get(key);
    return same !== undefined && same.isOptional === member.isOptional && isSame(member.shape, same.shape);
  });
}

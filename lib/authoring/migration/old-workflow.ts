import { isMap, isScalar, isSeq, type Node, parseDocument, type Scalar, stringify, type YAMLMap } from 'yaml';

/** A replacement of a part of a text, by offsets. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A field of a map: its key and its value. */
export interface Field {
  readonly name: string;
  readonly from: number;
  readonly value: Node;
}

/** A workflow text of another version, whose parts know their offsets. */
export interface OldWorkflow {
  readonly text: string;
  readonly root: YAMLMap;
  readonly functions: readonly YAMLMap[];
  readonly states: readonly YAMLMap[];
}

/** Reads a text; undefined if it is not YAML, or not a map. */
export function readOldWorkflow(text: string): OldWorkflow | undefined {
  const document = parseDocument(text, { merge: true, strict: false, uniqueKeys: false });
  const root = document.contents;
  if (document.errors.length > 0 || !isMap(root)) return undefined;
  return { text, root, functions: mapsIn(fieldOf(root, 'functions')), states: mapsIn(fieldOf(root, 'states')) };
}

/** The maps in a list. */
export const mapsIn = (field: Field | undefined): YAMLMap[] =>
  isSeq(field?.value) ? field.value.items.filter((item): item is YAMLMap => isMap(item)) : [];

/** The map that a field holds. */
export const mapIn = (field: Field | undefined): YAMLMap | undefined => (isMap(field?.value) ? field.value : undefined);

/** The fields of a map in the order in which they are written, without those of merge keys. */
export function fieldsOf(map: YAMLMap): readonly Field[] {
  return map.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || typeof key.value !== 'string' || !isNode(value)) return [];
    return [{ name: key.value, from: rangeOf(key).from, value }];
  });
}

const isNode = (value: unknown): value is Node => isScalar(value) || isMap(value) || isSeq(value);

/** The field with this name. */
export const fieldOf = (map: YAMLMap | undefined, name: string): Field | undefined =>
  map === undefined ? undefined : fieldsOf(map).find((field) => field.name === name);

/** The text that a field holds; undefined for any other value. */
export function textOf(map: YAMLMap | undefined, name: string): string | undefined {
  const value = fieldOf(map, name)?.value;
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined;
}

/** Where a node begins and ends. */
export function rangeOf(node: Node): { readonly from: number; readonly to: number } {
  const [from = 0, to = 0] = node.range ?? [];
  return { from, to };
}

/** The actions of a state. */
export function actionsOf(state: YAMLMap): readonly YAMLMap[] {
  const one = mapIn(fieldOf(state, 'action'));
  return [...(one === undefined ? [] : [one]), ...mapsIn(fieldOf(state, 'actions'))];
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

/** Removes a field with its value: whole lines in a block, else up to the field beside it. */
export function removeField(text: string, map: YAMLMap, field: Field): Replacement {
  const fields = fieldsOf(map);
  const index = fields.findIndex(({ from }) => from === field.from);
  const [before, after] = [fields[index - 1], fields[index + 1]];
  const end = text.slice(0, rangeOf(field.value).to).trimEnd().length;
  const begin = lineStart(text, field.from);
  if (map.flow !== true && text.slice(begin, field.from).trim() === '') {
    return { from: begin, to: lineEnd(text, Math.max(end, field.from)), text: '' };
  }
  if (after !== undefined) return { from: field.from, to: after.from, text: '' };
  return { from: before === undefined ? field.from : rangeOf(before.value).to, to: end, text: '' };
}

/** Adds a field before another one of the same map. */
export function addBefore(text: string, map: YAMLMap, field: Field, added: string): Replacement {
  const indent = ' '.repeat(field.from - lineStart(text, field.from));
  const separator = map.flow === true ? ', ' : `\n${indent}`;
  return { from: field.from, to: field.from, text: added + separator };
}

/** Renames a field. */
export const renameField = ({ name, from }: Field, to: string): Replacement => ({
  from,
  to: from + name.length,
  text: to,
});

/** A value in one line, as YAML. */
export const inOneLine = (node: Node): string => stringify(node, { collectionStyle: 'flow', lineWidth: 0 }).trim();

/** Replaces the text of a scalar, whose style of quotes stays. */
export function replaceText(text: string, node: Scalar, to: string): Replacement {
  const { from, to: end } = rangeOf(node);
  const written = text.slice(from, end).trimEnd();
  const quote = /^["']/.exec(written)?.[0] ?? (/^[\w./:-]+$/.test(to) ? '' : "'");
  return { from, to: from + written.length, text: quote + to + quote };
}

/** Applies replacements, the last place first; of two that overlap, the second is left out. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  const ordered = replacements.toSorted((a, b) => a.from - b.from || a.to - b.to);
  const free = ordered.filter(({ from }, index) => index === 0 || (ordered[index - 1]?.to ?? 0) <= from);
  return free.reduceRight((all, { from, to, text: part }) => all.slice(0, from) + part + all.slice(to), text);
}

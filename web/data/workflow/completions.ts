/** The parts of the JSON Schema of the workflow language that completions need. */
export interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

interface Option {
  readonly label: string;
  /** The text that is inserted; the label if not given. */
  readonly insert?: string;
  /** A sentence about it. */
  readonly about?: string | undefined;
}

export interface Completions {
  /** The offset of the word to complete. */
  readonly from: number;
  readonly options: readonly Option[];
  /** Offered before a letter is typed. */
  readonly isEager: boolean;
}

interface Line {
  /** Counted from 0. */
  readonly index: number;
  readonly indent: number;
  /** The column of the field, behind the dashes of lists. */
  readonly column: number;
  readonly key: string;
  readonly value: string;
}

const LINE = /^(\s*)((?:-\s+)*)([\w$]+)?\s*(:?)\s*(.*)$/;

function readLine(text: string, index = 0): Line {
  const [, blank = '', dashes = '', word = '', colon = '', rest = ''] = LINE.exec(text) ?? [];
  return {
    index,
    indent: blank.length,
    column: blank.length + dashes.length,
    key: colon === ':' ? word : '',
    value: colon === ':' ? rest.replace(/\s+#.*$/, '').replace(/^['"]|['"]$/g, '') : '',
  };
}

/** The fields that contain a line, the innermost first. */
function holdersOf(lines: readonly string[], at: number, column: number): readonly Line[] {
  const holders: Line[] = [];
  let limit = column;
  for (let index = at - 1; index >= 0; index -= 1) {
    if (/^\s*(#|$)/.test(lines[index] ?? '')) continue;
    const line = readLine(lines[index] ?? '', index);
    if (line.key === '' || line.column >= limit) continue;
    // A list may have the same indentation as its field.
    holders.push(line);
    limit = line.column;
    if (limit === 0) break;
  }
  return holders;
}

/** The value of another field of the object that contains the line. */
function beside(lines: readonly string[], at: number, column: number, key: string): string {
  for (const step of [-1, 1]) {
    for (let index = step < 0 ? at : at + 1; index >= 0 && index < lines.length; index += step) {
      const line = readLine(lines[index] ?? '');
      if (line.column === column && line.key === key) return line.value;
      const startsItem = /^\s*-\s/.test(lines[index] ?? '') && line.indent < column;
      if (line.column < column && line.key !== '') break;
      if (startsItem && line.column === column && (step < 0 || index > at)) break;
    }
  }
  return '';
}

const ID = /^\s*(?:-\s*)?\{?\s*id\s*:\s*['"]?([\w.-]+)/;

/** The ids in a list at the top level: `states` or `functions`. */
function idsIn(text: string, list: string): readonly string[] {
  let current = '';
  return text.split('\n').flatMap((one) => {
    const { column, key } = readLine(one);
    if (column === 0 && key !== '' && key !== 'id') current = key;
    const id = ID.exec(one)?.[1];
    return current === list && id !== undefined ? [id] : [];
  });
}

const TRANSITIONS: ReadonlySet<string> = new Set(['transition', 'defaultTransition', 'state']);

/** The schemas of the objects in a field or in its list: one for each type. */
function objectsIn(field: Schema, root: Schema): readonly Schema[] {
  if (field.items !== undefined) return objectsIn(field.items, root);
  if (field.anyOf !== undefined) return field.anyOf.flatMap((one) => objectsIn(one, root));
  const named = field.$ref === undefined ? undefined : root.definitions?.[field.$ref.slice('#/definitions/'.length)];
  return named === undefined ? [field] : objectsIn(named, root);
}

const fieldsNamed = (objects: readonly Schema[], name: string): readonly Schema[] =>
  objects.flatMap(({ properties = {} }) => properties[name] ?? []);

/** The schemas of the object that contains a line, by the fields around it and their types. */
function objectsAt(root: Schema, lines: readonly string[], { index, column }: Line): readonly Schema[] {
  const [holder] = column === 0 ? [] : holdersOf(lines, index, column);
  if (holder === undefined) return [root];
  const around = objectsAt(root, lines, holder);
  const possible = fieldsNamed(around, holder.key).flatMap((field) => objectsIn(field, root));
  const type = beside(lines, index, column, 'type');
  const typed = possible.filter(({ properties }) => properties?.['type']?.enum?.includes(type));
  return typed.length > 0 ? typed : possible;
}

/** The values that a field can have; of a type with several names, the first one. */
function valuesOf(key: string, { enum: listed = [], type = [] }: Schema): readonly string[] {
  const values = listed.filter((value) => typeof value === 'string');
  if (key === 'type') return values.slice(0, 1);
  return [...values, ...(type.includes('boolean') ? ['true', 'false'] : [])];
}

function valuesFor(text: string, objects: readonly Schema[], key: string): readonly Option[] {
  if (TRANSITIONS.has(key)) return idsIn(text, 'states').map((label) => ({ label, about: 'A state.' }));
  if (key === 'function') return idsIn(text, 'functions').map((label) => ({ label, about: 'A function.' }));
  const found = objects.flatMap((object) =>
    fieldsNamed([object], key).flatMap((field) =>
      valuesOf(key, field).map((label) => ({ label, about: key === 'type' ? object.description : field.description })),
    ),
  );
  return [...new Map(found.map((option) => [option.label, option])).values()];
}

function fieldsFor(objects: readonly Schema[]): readonly Option[] {
  const fields = new Map(objects.flatMap(({ properties = {} }) => Object.entries(properties)));
  return [...fields].map(([label, { description }]) => ({ label, insert: `${label}: `, about: description }));
}

/**
 * Completions at a position of a workflow by the schema of the language: the fields of the object there, the values of a
 * field, the ids of states and functions.
 */
export function completionsAt(schema: Schema, text: string, position: number): Completions | undefined {
  const before = text.slice(0, position);
  const lines = text.split('\n');
  const at = before.split('\n').length - 1;
  const typed = before.slice(before.lastIndexOf('\n') + 1);
  const word = /[\w.-]*$/.exec(typed)?.[0] ?? '';
  const from = position - word.length;
  const line = readLine(lines[at] ?? '', at);
  const objects = objectsAt(schema, lines, line);
  const isValue = /:\s+['"]?[\w.-]*$/.test(typed) && line.key !== '';
  if (isValue) return { from, options: valuesFor(text, objects, line.key), isEager: true };
  if (!/^\s*(-\s+)*[\w.-]*$/.test(typed)) return undefined;
  return { from, options: fieldsFor(objects), isEager: false };
}

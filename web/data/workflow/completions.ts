import { type Fields, fieldsOfState, INNER_FIELDS, STATES, TOP_FIELDS, VALUES } from './language.ts';

export interface Option {
  readonly label: string;
  /** The text that is inserted; the label if not given. */
  readonly insert?: string;
  readonly detail?: string;
}

export interface Completions {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly options: readonly Option[];
  /** Offered before a letter is typed. */
  readonly isEager: boolean;
}

/** Returns the completions at a position of a text. */
export type Complete = (text: string, position: number) => Completions | undefined;

interface Line {
  readonly indent: number;
  /** Where the field begins, behind the dashes of lists. */
  readonly column: number;
  readonly key: string;
  readonly value: string;
}

const LINE = /^(\s*)((?:-\s+)*)([\w$]+)?\s*(:?)\s*(.*)$/;

function readLine(text: string): Line {
  const [, blank = '', dashes = '', word = '', colon = '', rest = ''] = LINE.exec(text) ?? [];
  return {
    indent: blank.length,
    column: blank.length + dashes.length,
    key: colon === ':' ? word : '',
    value: colon === ':' ? rest.replace(/\s+#.*$/, '').replace(/^['"]|['"]$/g, '') : '',
  };
}

/** The fields that hold a line, the innermost first, each with the lines of the object it stands in. */
function holdersOf(lines: readonly string[], at: number, column: number): readonly Line[] {
  const holders: Line[] = [];
  let limit = column;
  for (let index = at - 1; index >= 0; index -= 1) {
    if (/^\s*(#|$)/.test(lines[index] ?? '')) continue;
    const line = readLine(lines[index] ?? '');
    if (line.key === '' || line.column >= limit) continue;
    // A list may stand at the same depth as the field that holds it.
    holders.push(line);
    limit = line.column;
    if (limit === 0) break;
  }
  return holders;
}

/** The value of a field beside the line, in the same object. */
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

/** The ids in a top list of the document: of its states, of its functions. */
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

function valuesFor(text: string, holder: string, key: string): readonly Option[] {
  if (TRANSITIONS.has(key)) return idsIn(text, 'states').map((label) => ({ label, detail: 'state' }));
  if (key === 'function') return idsIn(text, 'functions').map((label) => ({ label, detail: 'function' }));
  if (key === 'type' && holder === 'states') return Object.keys(STATES).map((label) => ({ label }));
  return (VALUES[`${holder} ${key}`] ?? []).map((label) => ({ label }));
}

const toOptions = (fields: Fields): readonly Option[] =>
  Object.entries(fields).map(([label, detail]) => ({ label, insert: `${label}: `, detail }));

function fieldsFor(lines: readonly string[], at: number, column: number, holder: string): Fields {
  if (column === 0) return TOP_FIELDS;
  if (holder === 'states') return fieldsOfState(beside(lines, at, column, 'type'));
  return INNER_FIELDS[holder] ?? {};
}

/** Completions of the workflow language: fields by where they stand, types, states, functions. */
export const completeWorkflow: Complete = (text, position) => {
  const before = text.slice(0, position);
  const lines = text.split('\n');
  const at = before.split('\n').length - 1;
  const typed = before.slice(before.lastIndexOf('\n') + 1);
  const word = /[\w.-]*$/.exec(typed)?.[0] ?? '';
  const from = position - word.length;
  const { key, column } = readLine(lines[at] ?? '');
  const isValue = /:\s+['"]?[\w.-]*$/.test(typed) && key !== '';
  const [holder] = holdersOf(lines, at, column);
  const name = column === 0 ? '' : (holder?.key ?? '');
  if (isValue) return { from, options: valuesFor(text, name, key), isEager: true };
  if (!/^\s*(-\s+)*[\w.-]*$/.test(typed)) return undefined;
  return { from, options: toOptions(fieldsFor(lines, at, column, name)), isEager: false };
};

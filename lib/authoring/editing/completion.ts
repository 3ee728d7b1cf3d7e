import type { Accepted } from '../../compiler/decoding/accepted.ts';
import type { Position } from '../../language/position.ts';
import { type MapNode, type Node, parseYaml } from '../../language/yaml/parser.ts';
import { ENGINE_CODES } from '../../lint/document/codes.ts';
import type { Workflow } from '../../lint/document/workflow.ts';
import { TYPES } from '../schema/language.ts';
import type { Completion, CompletionKind, Completions, Surroundings } from './completion-items.ts';
import { type FieldView, fieldsIn, type MapView, mapsIn } from './fields.ts';
import { subflowReference } from './names.ts';
import { type OpenText, openText } from './open-text.ts';
import { functionsOfTests, workflowsOfTests } from './test-names.ts';
import { variableKeys } from './variables.ts';

const NO_SURROUNDINGS: Surroundings = { path: 'workflow', workflows: new Map() };

/** Stands for the word at the cursor, so that the text around it can be parsed. */
const PLACEHOLDER = 'placeholder-of-the-cursor';

/** The field at the cursor has its colon already. */
const HAS_COLON = /^\s*:/;

/** The brackets that close those which are open at the end of a text. */
function closingBrackets(text: string): string {
  const open: string[] = [];
  for (const letter of text.replace(/'[^'\n]*'|"[^"\n]*"/g, '')) {
    if (letter === '{') open.push('}');
    else if (letter === '[') open.push(']');
    else if (letter === open.at(-1)) open.pop();
  }
  return open.reverse().join('');
}

/** The text with a placeholder instead of the word at the cursor, as a field name or as a value. */
function withPlaceholder(before: string, after: string, isKey: boolean): readonly string[] {
  const inserted = isKey && !HAS_COLON.test(after) ? `${PLACEHOLDER}: 0` : PLACEHOLDER;
  const whole = `${before}${inserted}${after}`;
  // Where the text behind the cursor cannot be parsed, the text before it may be enough.
  return [whole, `${before}${inserted}${closingBrackets(before)}`];
}

interface Place {
  readonly root: Node;
  readonly maps: readonly MapView[];
  readonly fields: readonly FieldView[];
}

function parsePlace(texts: readonly string[]): Place | undefined {
  for (const text of texts) {
    const parsed = parseYaml(text);
    if (!('problems' in parsed)) return { ...parsed, maps: mapsIn(parsed.root), fields: fieldsIn(parsed.root) };
  }
  return undefined;
}

const hasPlaceholder = (map: MapNode): boolean => map.entries.has(PLACEHOLDER);

/** The insertion of the name of a field. */
const asKey = (label: string, hasColon: boolean): string => (hasColon ? label : `${label}: `);

function keyItems(place: Place, hasColon: boolean, surroundings: Surroundings): readonly Completion[] {
  const functions = functionsOfTests(place.root, PLACEHOLDER, surroundings);
  return functions?.map((one) => ({ ...one, insert: asKey(one.label, hasColon) })) ?? fieldItems(place, hasColon);
}

function fieldItems({ maps }: Place, hasColon: boolean): readonly Completion[] {
  const found = maps.find(({ map }) => hasPlaceholder(map));
  if (found === undefined) return [];
  const { map, rules } = found;
  const given = [...map.entries.keys()].map((key) => key.toLowerCase());
  return Object.entries(rules.fields)
    .filter(([name]) => !given.includes(name.toLowerCase()))
    .map(([label, accepts]) => ({
      label,
      kind: 'field',
      insert: asKey(label, hasColon),
      detail: accepts.isRequired ? 'required' : '',
      documentation: rules.describe(label) ?? '',
    }));
}

const words = (list: readonly string[], kind: CompletionKind = 'word'): readonly Completion[] =>
  list.map((label) => ({ label, kind }));

const catchableCodes = (): readonly string[] => ENGINE_CODES.map((code) => `service.${code}`);

/** The completions of a value of each kind. */
const VALUES: Readonly<
  Partial<Record<Accepted['kind'], (accepts: Accepted, workflow?: Workflow) => readonly Completion[]>>
> = {
  flag: () => words(['true', 'false']),
  words: (accepts) => (accepts.kind === 'words' ? words(accepts.words) : []),
  duration: (accepts) =>
    words([...(accepts.kind === 'duration' ? (accepts.words ?? []) : []), 'PT30S', 'PT15M', 'P1D']),
  state: (_, workflow) =>
    (workflow?.states ?? []).map(({ id, plan }) => ({ label: id, kind: 'state', detail: plan?.type ?? '' })),
  function: (_, workflow) =>
    (workflow?.functions ?? []).map(({ id, plan }) => ({ label: id, kind: 'function', detail: plan?.type ?? '' })),
};

interface Around {
  readonly workflow: Workflow | undefined;
  readonly surroundings: Surroundings;
}

function typeItems({ rules }: FieldView): readonly Completion[] {
  const types = rules.section === undefined ? [] : TYPES[rules.section];
  return types.flatMap(({ names, description }) =>
    names.map((label) => ({ label, kind: 'type' as const, documentation: description })),
  );
}

function valueItems(field: FieldView, around: Around): readonly Completion[] {
  const { name, accepts, rules } = field;
  const { workflow, surroundings } = around;
  if (accepts === undefined) return [];
  if (name === 'type' && rules.section !== undefined) return typeItems(field);
  if (name === 'workflow' && rules.section === 'functions') {
    const { path, workflows } = surroundings;
    const others = [...workflows.keys()].filter((one) => one !== path);
    return words(
      others.map((one) => subflowReference(path, one)),
      'workflow',
    );
  }
  if (name === 'error' && rules.section === undefined) return words(['*', ...catchableCodes()]);
  if (name === 'key')
    return words(variableKeys([...surroundings.workflows.values(), ...(workflow ? [workflow] : [])]), 'variable');
  return VALUES[accepts.kind]?.(accepts, workflow) ?? [];
}

function completeValue(place: Place, around: Around): readonly Completion[] {
  const files = workflowsOfTests(place.root, PLACEHOLDER, around.surroundings);
  if (files.length > 0) return files;
  const field = place.fields.find(({ entry }) => entry.node.value === PLACEHOLDER);
  if (field !== undefined) return valueItems(field, around);
  const inList = place.fields.find(
    ({ entry: { node }, name }) =>
      name === 'codes' && node.kind === 'list' && node.items.some((one) => one.value === PLACEHOLDER),
  );
  return inList === undefined ? [] : words(catchableCodes());
}

/** The word before the cursor, and whether it stands where a value does. */
function wordBefore(line: string): { readonly word: string; readonly isValue: boolean; readonly isKey: boolean } {
  const word = /(?:[\w./$*-]+#)?[\w./$*-]*$/.exec(line)?.[0] ?? '';
  const head = line.slice(0, line.length - word.length);
  const isValue = /(?:^|[\s{,-])[\w.-]+:\s+['"]?$/.test(head) || /\[\s*(?:[^[\]]*,\s*)?['"]?$/.test(head);
  return { word, isValue, isKey: !isValue && /^\s*(?:-\s+)*$|[{,]\s*$/.test(head) };
}

/** Whether a line ends inside of a script, whose commas and brackets are not those of YAML. */
function endsInScript(line: string): boolean {
  const script = /^.*\bj[qs]\((.*)$/.exec(line)?.[1];
  if (script === undefined) return false;
  let open = 1;
  for (const letter of script) {
    if (letter === '(') open += 1;
    if (letter === ')') open -= 1;
    if (open === 0) return false;
  }
  return true;
}

/**
 * Returns what can be written at a position: fields, types, ids of states and functions, words, keys of variables, paths of
 * subflows, and in files of tests the names of functions and the files of workflows; nothing inside of scripts. The text may
 * be incomplete. Without a completion the list is empty.
 */
export function completeAt(text: OpenText, at: Position, surroundings: Surroundings = NO_SURROUNDINGS): Completions {
  const offset = text.source.offsetOf(at);
  const before = text.text.slice(0, offset);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const { word, isValue, isKey } = wordBefore(line);
  const from = text.source.at(offset - word.length);
  if (endsInScript(line) || (!isValue && !isKey)) return { from, items: [] };
  const after = text.text.slice(offset).replace(/^[\w./$*-]*(?:#[\w./$*-]+)?/, '');
  const texts = withPlaceholder(before.slice(0, before.length - word.length), after, isKey);
  const place = parsePlace(texts);
  if (place === undefined) return { from, items: [] };
  if (isKey) {
    const items = keyItems(place, HAS_COLON.test(after), surroundings);
    if (items.length > 0 || !/-\s+$/.test(line.slice(0, line.length - word.length))) return { from, items };
  }
  const valued = isKey
    ? parsePlace(withPlaceholder(before.slice(0, before.length - word.length), after, false))
    : place;
  // The text with the placeholder is complete where the text itself is not.
  const workflow = text.workflow() ?? texts.map((one) => openText(one).workflow()).find((one) => one !== undefined);
  return { from, items: valued === undefined ? [] : completeValue(valued, { workflow, surroundings }) };
}

import type { Accepted, AcceptedFields } from '../../compiler/decoding/accepted.ts';
import { ownMember } from '../../language/own-members.ts';
import { scalarText } from '../../language/yaml/node.ts';
import type { Entry, MapNode, Node } from '../../language/yaml/parser.ts';
import { ANSWER_FIELDS } from '../../testing/format/mocks.ts';
import {
  describeField,
  describeInnerField,
  describeWorkflowField,
  type LanguageType,
  type SectionName,
  TYPES,
  typeOf,
  WORKFLOW,
} from '../schema/language.ts';
import { describeTestField, TESTS } from '../schema/test-schema.ts';

/** The fields that a map may have, and their meanings. */
export interface MapRules {
  /** Absent for the workflow and for maps inside states, functions and starts. */
  readonly section?: SectionName;
  /** The type that the map names; absent if it names none that exists. */
  readonly type?: LanguageType;
  readonly fields: AcceptedFields;
  readonly describe: (field: string) => string | undefined;
}

/** A field in a text, with the rules of the language for it. */
export interface FieldView {
  readonly map: MapNode;
  readonly rules: MapRules;
  readonly entry: Entry;
  /** The name of the field in the language, whose case may differ; undefined for an unknown field. */
  readonly name: string | undefined;
  readonly accepts: Accepted | undefined;
}

/** A map in a text that has fields of the language. */
export interface MapView {
  readonly map: MapNode;
  readonly rules: MapRules;
}

const SECTIONS: Readonly<Record<SectionName, true>> = { states: true, functions: true, start: true };

/** True for the fields of a workflow whose values have a `type`. */
const isSection = (name: string): name is SectionName => Object.hasOwn(SECTIONS, name);

/** The rules of a state, function or start: those of its type; for an unknown type, the fields that every type has. */
function rulesOfPart(section: SectionName, map: MapNode): MapRules {
  const type = typeOf(section, scalarText(map.entries.get('type')?.node));
  const words = TYPES[section].flatMap(({ names }) => names);
  const fields = type?.fields ?? commonFields(section);
  return {
    section,
    ...(type !== undefined && { type }),
    fields: { type: { kind: 'words', words }, ...fields },
    describe: (field) => describeField(section, type, field),
  };
}

/** The fields that all types of a section have. */
function commonFields(section: SectionName): AcceptedFields {
  const [first, ...rest] = TYPES[section];
  const names = Object.entries(first?.fields ?? {}).filter(([name]) =>
    rest.every(({ fields }) => Object.hasOwn(fields, name)),
  );
  return Object.fromEntries(names);
}

const WORKFLOW_RULES: MapRules = { fields: WORKFLOW, describe: describeWorkflowField };

/** The answers of a mock, which is one answer, a list, or a map with a list. */
function answersIn(node: Node): readonly Node[] {
  const listed = node.kind === 'map' ? node.entries.get('answers')?.node : node;
  return listed?.kind === 'list' ? listed.items : [node];
}

/** Every map of a file of tests that has known fields. */
function mapsOfTests(root: MapNode): readonly MapView[] {
  const found: MapView[] = [];
  collect(root, { kind: 'object', fields: TESTS, isLenient: false }, '', { found, describe: describeTestField });
  const mocks = found.flatMap(({ map }) => map.entries.get('mocks')?.node ?? []);
  const answers = mocks.flatMap((node) => (node.kind === 'map' ? [...node.entries.values()] : []));
  for (const node of answers.flatMap((entry) => answersIn(entry.node))) {
    const accepts: Accepted = { kind: 'object', fields: ANSWER_FIELDS, isLenient: false };
    collect(node, accepts, 'mocks', { found, describe: describeTestField });
  }
  return found;
}

/** Every map of a workflow, or of a file of tests, that has fields of the language, the outer ones first. */
export function mapsIn(root: Node): readonly MapView[] {
  if (root.kind !== 'map') return [];
  if (root.entries.has('cases')) return mapsOfTests(root);
  const found: MapView[] = [{ map: root, rules: WORKFLOW_RULES }];
  for (const { key, node } of root.entries.values()) {
    const section = key.toLowerCase();
    if (!isSection(section)) collect(node, ownMember(WORKFLOW, section), section, { found });
    else {
      const parts = section === 'start' ? [node] : node.kind === 'list' ? node.items : [];
      for (const part of parts) if (part.kind === 'map') collectPart(part, section, found);
    }
  }
  return found;
}

function collectPart(map: MapNode, section: SectionName, found: MapView[]): void {
  const rules = rulesOfPart(section, map);
  found.push({ map, rules });
  collectFields(map, rules.fields, { found });
}

/** Where maps are collected, and what their fields mean; default: as inside of the fields of a workflow. */
interface Collection {
  readonly found: MapView[];
  readonly describe?: typeof describeInnerField;
}

function collectFields(map: MapNode, fields: AcceptedFields, into: Collection): void {
  for (const { key, node } of map.entries.values()) {
    const name = nameIn(fields, key);
    if (name !== undefined) collect(node, ownMember(fields, name), name, into);
  }
}

/** Collects the maps of a value. `field` has the map, or the list of maps. */
function collect(node: Node, accepts: Accepted | undefined, field: string, into: Collection): void {
  if (accepts?.kind === 'list' && node.kind === 'list') {
    for (const item of node.items) collect(item, accepts.of, field, into);
  } else if (accepts?.kind === 'object' && node.kind === 'map') {
    const { fields } = accepts;
    const { found, describe = describeInnerField } = into;
    found.push({ map: node, rules: { fields, describe: (name) => describe(field, name) } });
    collectFields(node, fields, into);
  }
}

/** The name of a field in the language; names match in any case (workflow-language 1.2). */
function nameIn(fields: AcceptedFields, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const lowered = key.toLowerCase();
  return Object.keys(fields).find((name) => name !== 'type' && name.toLowerCase() === lowered);
}

/** Every field of a workflow at a place of the language, unknown ones too. */
export function fieldsIn(root: Node): readonly FieldView[] {
  return mapsIn(root).flatMap(({ map, rules }) =>
    [...map.entries.values()].map((entry) => {
      const name = nameIn(rules.fields, entry.key);
      return { map, rules, entry, name, accepts: name === undefined ? undefined : ownMember(rules.fields, name) };
    }),
  );
}

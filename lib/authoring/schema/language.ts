import type { AcceptedFields } from '../../compiler/decoding/accepted.ts';
import type { Variant } from '../../compiler/decoding/variants.ts';
import { LANGUAGE } from '../../compiler/document.ts';
import { ownMember } from '../../language/own-members.ts';
import { COMMON_FIELDS, INNER_FIELDS, STATE_DESCRIPTIONS, TYPE_FIELDS, WORKFLOW_FIELDS } from './descriptions.ts';
import { FUNCTION_DESCRIPTIONS } from './functions.ts';
import { START_DESCRIPTIONS } from './start-fields.ts';

/** The parts of a workflow whose `type` selects their fields. */
export type SectionName = 'states' | 'functions' | 'start';

/** A type of states, functions or starts. */
export interface LanguageType {
  /** Its name, then the other names that it has. */
  readonly names: readonly string[];
  readonly description: string;
  /** Its fields beside `type`. */
  readonly fields: AcceptedFields;
}

const typesOf = (
  { byName }: { readonly byName: ReadonlyMap<string, Variant<unknown>> },
  descriptions: Readonly<Record<string, string>>,
): readonly LanguageType[] =>
  [...new Set(byName.values())].map(({ names, fields }) => {
    const [name = ''] = names;
    return { names, fields, description: ownMember(descriptions, name) ?? '' };
  });

/** The types of each section. */
export const TYPES: Readonly<Record<SectionName, readonly LanguageType[]>> = {
  states: typesOf(LANGUAGE.states, STATE_DESCRIPTIONS),
  functions: typesOf(LANGUAGE.functions, FUNCTION_DESCRIPTIONS),
  start: typesOf(LANGUAGE.starts, START_DESCRIPTIONS),
};

/** The fields of a workflow; those of the sections are in TYPES. */
export const WORKFLOW: AcceptedFields = LANGUAGE.fields;

/** The type of a section with a name; undefined if there is none. */
export function typeOf(section: SectionName, name: string): LanguageType | undefined {
  return TYPES[section].find(({ names }) => names.includes(name));
}

/** The description of a field of a workflow. */
export const describeWorkflowField = (field: string): string | undefined => ownMember(WORKFLOW_FIELDS, field);

/** The description of a field of a state, function or start of this type; without a type, of every type. */
export function describeField(section: SectionName, type: LanguageType | undefined, field: string): string | undefined {
  const ofType = ownMember(TYPE_FIELDS[section], type?.names[0] ?? '');
  return ownMember(ofType, field) ?? ownMember(COMMON_FIELDS[section], field);
}

/** The description of a field inside another field, which has a map or a list of maps. */
export const describeInnerField = (parent: string, field: string): string | undefined =>
  ownMember(ownMember(INNER_FIELDS, parent), field);

import { isObject } from '../language/json.ts';
import { ownMember } from '../language/own-members.ts';
import type { Plan } from './plan/plan.ts';

/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: string[];
}

/**
 * The schema of the inputs with which a request can start a workflow: its `input`, else the one by which its first state
 * validates the whole data; undefined for one that takes any input. A member with a default need not be sent.
 */
export function inputSchemaOf(plan: Plan): ObjectSchema | undefined {
  const schema = plan.input ?? validatedBy(plan);
  if (!isObject(schema)) return undefined;
  const { required, properties } = schema;
  const members = isObject(properties) ? properties : {};
  const needed = (name: string): boolean => {
    const member = ownMember(members, name);
    return !(plan.input !== undefined && isObject(member) && 'default' in member);
  };
  return {
    ...schema,
    type: 'object',
    ...(Array.isArray(required) && { required: required.filter(needed) }),
  } as ObjectSchema;
}

function validatedBy({ states, entry }: Plan): unknown {
  const first = ownMember(states, entry)?.work;
  if (first?.do !== 'validate') return undefined;
  const { schema, subject } = first;
  const isWhole = subject === undefined || subject === 'jq(.)';
  return isWhole && isObject(schema) && schema['type'] === 'object' ? schema : undefined;
}

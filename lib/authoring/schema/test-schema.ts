import type { Accepted, AcceptedFields } from '../../compiler/decoding/accepted.ts';
import { ownMember } from '../../language/own-members.ts';
import { CASE_FIELDS, SUITE_FIELDS } from '../../testing/format/decode.ts';
import { EVENT_FIELDS } from '../../testing/format/events.ts';
import { ANSWER_FIELDS } from '../../testing/format/mocks.ts';
import type { Descriptions } from './descriptions.ts';
import { type Schema, schemaOfFields } from './schema.ts';

const SCHEMA_ID = 'urn:weft:schema:test';

/** The fields of each part of a file of tests, and their meanings. */
export const TEST_FIELDS = {
  suite: {
    workflow: 'The file of the workflow, relative to this one.',
    cases: 'The tests. Each is run in a namespace of its own.',
    folders: 'The folders whose files are at the root of the tree. Default: the folder of .weft.yaml, or this one.',
    others: 'Further workflows that are stored, for those that events start.',
    variables: 'Variables that are set before the start, by scope and name.',
    secrets: 'The values of secrets, by name.',
    mocks: 'The answers of functions, by their ids; of another workflow by `path#id`.',
    now: 'The time at which a case begins, as 2026-01-31T08:00:00Z.',
  },
  case: {
    name: 'What holds, unique in the file.',
    input: 'The data with which the run begins. Default: {}.',
    events: 'Events that are sent while the case runs.',
    decisions: 'Decisions of approvals, in their order.',
    skip: 'The reason why the case is not run.',
    expect: 'What must be true at the end. Default: the run completes.',
  },
  answer: {
    input: 'The answer is for inputs with these members.',
    return: 'The result of the call.',
    error: 'The error of the call: its code, or {code, message}.',
    delay: 'The virtual time that the call takes.',
    variables: 'Variables that the function sets.',
    repeat: 'The answer is for any number of calls.',
    idempotent: 'The function recognises a repeated call.',
  },
  event: {
    after: 'The time since the start of the case. Default: directly after the event before.',
    type: 'The type of the event.',
    source: 'Its source. Default: test.',
    id: 'Its id.',
    data: 'Its content.',
  },
  decision: {
    state: 'The state whose approval is decided. Default: the one that waits.',
    after: 'The time since the start of the case. Default: as soon as the approval waits.',
    choice: 'The choice.',
    form: 'The fields of the form.',
    by: 'Who decides. Default: test.',
    from: 'The address of the request. Default: 127.0.0.1.',
  },
  expect: {
    status: 'How the run ends. Default: complete, or failed with an `error`.',
    error: 'The error of the run: its code, or {code, message}.',
    output: 'The output of the run.',
    states: 'The states in their order, or how often each was visited.',
    calls: 'How often each function is called, or the inputs of its calls.',
    events: 'Events that are sent.',
    variables: 'The variables at the end, by scope and name.',
    took: 'The virtual time of the run, or {least, most}.',
    runs: 'How many runs there are.',
  },
} as const satisfies Readonly<Record<string, Descriptions>>;

const listOfMaps = (fields: AcceptedFields): Accepted => ({
  kind: 'list',
  of: { kind: 'object', fields, isLenient: false },
});

/** The fields of a file of tests with those inside of them, but for the answers of mocks. */
export const TESTS: AcceptedFields = {
  ...SUITE_FIELDS,
  cases: listOfMaps({ ...CASE_FIELDS, events: listOfMaps(EVENT_FIELDS) }),
};

/** The part of a file of tests that stands in a field; others stand in no field of this name. */
const PARTS: Readonly<Record<string, keyof typeof TEST_FIELDS>> = {
  cases: 'case',
  events: 'event',
  decisions: 'decision',
  mocks: 'answer',
  expect: 'expect',
};

/** The description of a field of a file of tests. `parent`: the field in which it stands; empty at the top. */
export function describeTestField(parent: string, field: string): string | undefined {
  const part = ownMember(PARTS, parent);
  const described = part === undefined ? undefined : ownMember<string>(TEST_FIELDS[part], field);
  return described ?? (part === undefined || part === 'case' ? ownMember<string>(TEST_FIELDS.suite, field) : undefined);
}

const SCOPES = ['namespace', 'workflow', 'instance'];
const VARIABLES: Schema = {
  additionalProperties: false,
  properties: Object.fromEntries(SCOPES.map((scope) => [scope, { type: ['object', 'null'] }])),
};
const MOCKS: Schema = { additionalProperties: { $ref: '#/definitions/mock' } };
const ref = (name: string): Schema => ({ $ref: `#/definitions/${name}` });
const listOf = (name: string): Schema => ({ items: ref(name) });

/** What the kinds of values do not say about fields. */
const INSIDE: Readonly<Record<string, Schema>> = { variables: VARIABLES, mocks: MOCKS };

function part(fields: AcceptedFields, described: Descriptions, inside: Readonly<Record<string, Schema>> = {}): Schema {
  const schema = schemaOfFields(fields, (name) => ownMember(described, name));
  const properties = Object.entries(schema['properties'] as Readonly<Record<string, Schema>>).map(([name, one]) => [
    name,
    { ...one, ...ownMember({ ...INSIDE, ...inside }, name) },
  ]);
  return { type: 'object', ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}

/** The fields of the maps that a field accepts, which may be in a list. */
function fieldsIn(name: string): AcceptedFields {
  const accepted = ownMember(CASE_FIELDS, name);
  const inner = accepted?.kind === 'list' ? accepted.of : accepted;
  if (inner?.kind !== 'object') throw new Error(`'${name}' of a case is no map with known fields`);
  return inner.fields;
}

/** The JSON Schema of files of tests, draft 7: every file that `weft test` accepts, and few others. */
export function testSchema(): Schema {
  const { suite, case: ofCase, answer, event, decision, expect } = TEST_FIELDS;
  const answers = { type: 'array', items: ref('answer'), minItems: 1 } as const;
  const several = {
    type: 'object',
    required: ['answers'],
    properties: { answers, idempotent: { type: ['boolean', 'null'] } },
    additionalProperties: false,
  } as const;
  const inCase = { events: listOf('event'), decisions: listOf('decision'), expect: ref('expect') };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: SCHEMA_ID,
    title: 'Tests of a workflow',
    ...part(SUITE_FIELDS, suite, { cases: { items: ref('case'), minItems: 1 } }),
    required: ['cases'],
    definitions: {
      case: { ...part(CASE_FIELDS, { ...suite, ...ofCase }, inCase), required: ['name'] },
      mock: { anyOf: [ref('answer'), answers, several] },
      answer: part(ANSWER_FIELDS, answer),
      event: { ...part(EVENT_FIELDS, event), additionalProperties: true },
      decision: part(fieldsIn('decisions'), decision),
      expect: part(fieldsIn('expect'), expect),
    },
  };
}

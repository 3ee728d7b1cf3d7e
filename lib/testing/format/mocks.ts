import { type Context, reportInvalid } from '../../compiler/decoding/context.ts';
import {
  anyText,
  createDecoder,
  type Decoder,
  duration,
  type Field,
  flag,
  list,
  required,
} from '../../compiler/decoding/decoders.ts';
import { acceptedFields, object } from '../../compiler/decoding/object.ts';
import { byKind, json, mapOf, variables } from './decoders.ts';
import type { Mock, MockAnswer } from './suite.ts';

const errorFields = object({ code: required(anyText), message: anyText });

/** An error: its code, or the code with a message. */
const error: Decoder<MockAnswer['error']> = byKind(
  {
    scalar: (node, field, context) => {
      const code = anyText(node, field, context);
      return code === undefined ? undefined : { code, message: `the mock raises ${code}` };
    },
    map: (node, field, context) => {
      const fields = errorFields(node, field, context);
      return fields && { code: fields.code, message: fields.message ?? `the mock raises ${fields.code}` };
    },
  },
  'a text or a map',
);

const ANSWER = { input: json, return: json, error, delay: duration, variables, repeat: flag };

type MockNode = Parameters<Decoder<unknown>>[0];

const isNullReturn = (node: MockNode): boolean =>
  node?.kind === 'map' && node.entries.get('return')?.node.value === null;

/** Decodes an answer with further fields: it returns a value or raises an error, not both. */
function answerWith<F extends object>(fields: F) {
  const decode = object({ ...ANSWER, ...fields });
  return (node: MockNode, field: Field, context: Context) => {
    const before = context.undecodable.length;
    const decoded = decode(node, field, context);
    // A misspelt field is reported instead of the missing field that it stands for.
    if (decoded === undefined || node === undefined || context.undecodable.length > before) return decoded;
    const hint = (): string => 'write {return: {…}} or {error: my.code}';
    const { return: value, error: failure } = decoded as Pick<MockAnswer, 'return' | 'error'>;
    if (value === undefined && failure === undefined && !isNullReturn(node)) {
      reportInvalid(context, node, "an answer has 'return' or 'error'", hint);
    } else if (value !== undefined && failure !== undefined) {
      reportInvalid(context, node, "an answer has either 'return' or 'error', not both", hint);
    }
    return decoded;
  };
}

type AnswerFields = Omit<MockAnswer, 'repeat'> & { readonly repeat: boolean | undefined };

const toAnswer = ({
  input,
  return: value,
  error: failure,
  delay,
  variables: set,
  repeat,
}: AnswerFields): MockAnswer => ({
  input,
  return: value,
  error: failure,
  delay,
  variables: set,
  repeat: repeat ?? false,
});

const plainAnswer = answerWith({});

const answer = createDecoder({ kind: 'map' }, (node, field, context): MockAnswer | undefined => {
  const fields = plainAnswer(node, field, context);
  return fields && toAnswer(fields);
});

type Body = Omit<Mock, 'function' | 'isShared' | 'line' | 'column'>;

const present = (answers: readonly (MockAnswer | undefined)[]): MockAnswer[] =>
  answers.filter((one) => one !== undefined);

const single = answerWith({ idempotent: flag });

/** The fields of an answer that is the mock of a function. */
export const ANSWER_FIELDS = acceptedFields({ ...ANSWER, idempotent: flag });

const several = object({ answers: required(list(answer, { prefix: 'answers' })), idempotent: flag });

function severalAnswers(node: MockNode, field: Field, context: Context): Body | undefined {
  const fields = several(node, field, context);
  if (fields === undefined) return undefined;
  return { answers: present(fields.answers ?? []), isConstant: false, idempotent: fields.idempotent ?? false };
}

function singleAnswer(node: MockNode, field: Field, context: Context): Body | undefined {
  const fields = single(node, field, context);
  return fields && { answers: [toAnswer(fields)], isConstant: true, idempotent: fields.idempotent ?? false };
}

/** A mock: a list of answers; one answer for every call; or a map with `answers`. */
const mock: Decoder<Body | undefined> = byKind<Body | undefined>(
  {
    list: (node, field, context) => {
      const answers = present(list(answer, { prefix: field.name })(node, field, context));
      if (answers.length === 0) reportInvalid(context, node ?? field, `the mock '${field.name}' has no answer`);
      return { answers, isConstant: false, idempotent: false };
    },
    map: (node, field, context) => {
      const isSeveral = node?.kind === 'map' && node.entries.has('answers');
      return isSeveral ? severalAnswers(node, field, context) : singleAnswer(node, field, context);
    },
  },
  'an answer, as {return: {…}}, or a list of answers',
);

const named = mapOf(mock);

/** The mocks of a case, by the ids of functions. */
export const mocks = createDecoder(named.accepts, (node, field, context): readonly Mock[] =>
  named(node, field, context).flatMap(({ name, value, line, column }) =>
    value === undefined ? [] : [{ function: name, line, column, isShared: false, ...value }],
  ),
);

import { reportInvalid } from '../../compiler/decoding/context.ts';
import {
  anyText,
  createDecoder,
  type Decoder,
  duration,
  integer,
  list,
  oneOf,
} from '../../compiler/decoding/decoders.ts';
import { object } from '../../compiler/decoding/object.ts';
import type { Position } from '../../language/position.ts';
import type { Json, Node } from '../../language/yaml/parser.ts';
import { byKind, json, mapOf, objectOf, variables } from './decoders.ts';
import type { Expectation, ExpectedCalls, ExpectedStates, ExpectedTime } from './suite.ts';

const count = createDecoder(integer.accepts, (node, field, context) => {
  const value = integer(node, field, context);
  if (value !== undefined && value < 0) reportInvalid(context, node ?? field, `${field.name} is at least 0`);
  return value;
});

const error: Decoder<Expectation['error']> = byKind<Expectation['error']>(
  {
    scalar: (node, field, context) => ({ code: anyText(node, field, context), message: undefined }),
    map: (node, field, context) => object({ code: anyText, message: anyText })(node, field, context),
  },
  'the code of an error, or a map of code and message',
);

const states: Decoder<ExpectedStates | undefined> = byKind<ExpectedStates>(
  {
    list: (node, field, context) => list(anyText)(node, field, context).filter((one) => one !== undefined),
    map: (node, field, context) =>
      objectOf(mapOf(count)(node, field, context).map((one) => ({ ...one, value: one.value ?? 0 }))),
  },
  'the list of states in their order, or how often each was visited',
);

const calls: Decoder<ExpectedCalls | undefined> = byKind<ExpectedCalls>(
  {
    scalar: (node, field, context) => count(node, field, context) ?? 0,
    list: (node) => (node?.kind === 'list' ? node.value : []),
  },
  'how many, or the list of inputs',
);

const took: Decoder<ExpectedTime | undefined> = byKind<ExpectedTime | undefined>(
  {
    scalar: (node, field, context) => {
      const text = duration(node, field, context);
      return { least: text, most: text };
    },
    map: (node, field, context) => {
      const limits = object({ least: duration, most: duration })(node, field, context);
      return limits && { least: limits.least, most: limits.most };
    },
  },
  'a duration, as PT30M, or {least: …, most: …}',
);

type Attributes = Readonly<Record<string, Json>>;

const attributes = byKind<Attributes>({ map: (one) => (one?.kind === 'map' ? one.value : {}) }, 'a map');
const attributeMaps = list(attributes);

/** A list of maps; undefined if it is absent. */
const events = createDecoder(attributeMaps.accepts, (node, field, context) =>
  node === undefined ? undefined : attributeMaps(node, field, context).filter((one) => one !== undefined),
);

const FIELDS = {
  status: oneOf(['complete', 'failed', 'crashed']),
  error,
  output: json,
  states,
  calls: mapOf(calls),
  events,
  variables,
  took,
  runs: count,
};

const fields = object(FIELDS);

function placesOf(node: Node | undefined): Readonly<Record<string, Position>> {
  if (node?.kind !== 'map') return {};
  return Object.fromEntries(
    [...node.entries.values()].map(({ key, line, column }) => [key.toLowerCase(), { line, column }]),
  );
}

/** Decodes the expectation of a case; by default a run that completes. */
export const expectation = createDecoder(fields.accepts, (node, field, context): Expectation => {
  const decoded = fields(node, field, context);
  const { status, error: failure, output, states: visited, took: time, runs, events: sent } = decoded ?? {};
  const hint = (): string => 'a run that fails has no output';
  if (failure !== undefined && output !== undefined) {
    reportInvalid(context, node ?? field, "expect has either 'output' or 'error'", hint);
  }
  return {
    status: status ?? (failure === undefined ? 'complete' : 'failed'),
    error: failure,
    output,
    states: visited,
    calls: objectOf((decoded?.calls ?? []).map((one) => ({ ...one, value: one.value ?? 0 }))),
    events: sent,
    variables: decoded?.variables ?? {},
    took: time,
    runs,
    places: placesOf(node),
  };
});

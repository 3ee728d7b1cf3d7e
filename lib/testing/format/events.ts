import { reportInvalid, reportUndecodable } from '../../compiler/decoding/context.ts';
import { anyText, createDecoder, duration, list, reportWrongType, required } from '../../compiler/decoding/decoders.ts';
import { acceptedFields, decodeFields } from '../../compiler/decoding/object.ts';
import { setMember } from '../../language/json.ts';
import type { Json } from '../../language/yaml/parser.ts';
import { json } from './decoders.ts';
import type { TestEvent } from './suite.ts';

const FIELDS = { after: duration, type: required(anyText), source: anyText, id: anyText, data: json };

/** The fields of an event; others are attributes of its context. */
export const EVENT_FIELDS = acceptedFields(FIELDS);

/** Names of attributes (CloudEvents 1.0.2, 3.1). */
const ATTRIBUTE = /^[a-z0-9]{1,20}$/;

/** An event; fields that are not known are attributes of its context. */
const event = createDecoder({ kind: 'map' }, (node, field, context): TestEvent | undefined => {
  if (node === undefined) return undefined;
  if (node.kind !== 'map') return reportWrongType(context, node, field, 'a map');
  const { line, column } = node;
  const fields = decodeFields(node, FIELDS, context, true);
  const attributes: Record<string, Json> = {};
  for (const { key, node: inner, ...at } of node.entries.values()) {
    if (Object.hasOwn(FIELDS, key)) continue;
    const hint = (): string => "other fields of an event are its attributes; its content belongs into 'data'";
    if (!ATTRIBUTE.test(key)) {
      reportUndecodable(context, at, `'${key}' is no name of an attribute: use at most 20 of a-z and 0-9`, hint);
    } else if (inner.kind !== 'scalar') {
      reportInvalid(context, inner, `the attribute '${key}' of an event is a text, a number, true or false`, hint);
    }
    setMember(attributes, key, inner.value);
  }
  return { line, column, ...fields, context: attributes };
});

const all = list(event, { prefix: 'events' });

/** The events of a case. */
export const events = createDecoder(all.accepts, (node, field, context): readonly TestEvent[] =>
  all(node, field, context).filter((one) => one !== undefined),
);

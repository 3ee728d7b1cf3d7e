import { type Context, reportInvalid } from '../../compiler/decoding/context.ts';
import { anyText, createDecoder, dictionary, duration, list, required } from '../../compiler/decoding/decoders.ts';
import { object } from '../../compiler/decoding/object.ts';
import type { Json } from '../../language/yaml/parser.ts';
import { milliseconds } from './moments.ts';
import type { TestDecision } from './suite.ts';

const fields = object({
  state: anyText,
  after: duration,
  choice: required(anyText),
  form: dictionary,
  by: anyText,
  from: anyText,
});

/** The name of the decider, and the address of the request, where a case names none. */
export const DECIDER = { by: 'test', from: '127.0.0.1' } as const;

const decision = createDecoder(fields.accepts, (node, field, context): TestDecision | undefined => {
  const decoded = fields(node, field, context);
  if (node === undefined || decoded === undefined) return undefined;
  const { form, by, from, ...given } = decoded;
  const { line, column } = node;
  const decider = { by: by?.trim() || DECIDER.by, from: from?.trim() || DECIDER.from };
  return { line, column, ...given, form: form as Readonly<Record<string, Json>>, ...decider };
});

function reportDisorder(all: readonly TestDecision[], context: Context): void {
  let latest = 0;
  for (const [index, { after, ...at }] of all.entries()) {
    const time = after === undefined ? latest : milliseconds(after);
    const hint = (): string => "they are made in their order; 'after' counts from the start of the case";
    if (time < latest) reportInvalid(context, at, `decisions[${index}] is earlier than one before it`, hint);
    latest = Math.max(latest, time);
  }
}

const all = list(decision, { prefix: 'decisions' });

/** The decisions of a case, in their order. */
export const decisions = createDecoder(all.accepts, (node, field, context): readonly TestDecision[] => {
  const decoded = all(node, field, context).filter((one) => one !== undefined);
  reportDisorder(decoded, context);
  return decoded;
});

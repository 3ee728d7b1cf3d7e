import { nextScript } from '../../language/scripts/scripts.ts';
import { reportInvalid } from './context.ts';
import { createDecoder, type Decoder, query } from './decoders.ts';

/** Whether a value holds a script: then it is known only when the function is called. */
export const isComputed = (value: unknown): boolean => typeof value === 'string' && nextScript(value, 0) >= 0;

/** A value that may be computed. A literal one must satisfy `isValid`; `rule` completes "the field ...". */
export function computed(isValid: (value: unknown) => boolean, rule: string, hint: string): Decoder<unknown> {
  return createDecoder<unknown>({ kind: 'query' }, (node, field, context) => {
    const value = query(node, field, context);
    if (value === undefined || isComputed(value) || isValid(value)) return value;
    reportInvalid(context, node ?? field, `${field.name} ${rule}`, () => hint);
    return value;
  });
}

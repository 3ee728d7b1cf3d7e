import { omitUndefined } from '../../language/omit-undefined.ts';
import type { CallLimits } from '../plan/concurrency.ts';
import { reportInvalid } from './context.ts';
import { createDecoder, query, text } from './decoders.ts';
import { type Decoded, object } from './object.ts';
import { limit, period } from './periods.ts';

const SCOPE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

const scope = createDecoder({ kind: 'text' }, (node, field, context) => {
  const name = text(node, field, context);
  if (name !== undefined && !SCOPE_PATTERN.test(name)) {
    const rule = 'must be a name of letters, digits, dots, dashes and underscores, at most 100';
    reportInvalid(context, node ?? field, `${field.name} ${rule}`, () => 'for example bank-api');
  }
  return name;
});

/** The fields that limit the calls of a function. */
export const LIMIT_FIELDS = {
  concurrency: object({ limit, key: query }),
  rate: object({ limit, per: period, key: query }),
  scope,
};

/** The limits in the plan of the function with an id, which is their scope by default; none without such a field. */
export function toLimits(
  id: string,
  { concurrency, rate, scope: named = id }: Decoded<typeof LIMIT_FIELDS>,
): { readonly limits?: CallLimits } {
  if (concurrency === undefined && rate === undefined) return {};
  const [places, starts] = [concurrency && omitUndefined(concurrency), rate && omitUndefined(rate)];
  return { limits: { scope: named, ...omitUndefined({ concurrency: places, rate: starts }) } };
}

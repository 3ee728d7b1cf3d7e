import { omitUndefined } from '../../language/omit-undefined.ts';
import { type CallLimits, WHEN_CALLS_FULL } from '../plan/concurrency.ts';
import { reportInvalid } from './context.ts';
import { createDecoder, oneOf, query, text } from './decoders.ts';
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
  concurrency: object({ limit, key: query, whenFull: oneOf(WHEN_CALLS_FULL) }),
  rate: object({ limit, per: period, key: query, whenFull: oneOf(WHEN_CALLS_FULL) }),
  scope,
};

/** A limit in the plan, which has no `whenFull` where further calls wait. */
function toLimit<L extends { readonly whenFull: (typeof WHEN_CALLS_FULL)[number] | undefined }>({
  whenFull,
  ...limited
}: L) {
  return omitUndefined({ ...limited, whenFull: whenFull === 'refuse' ? whenFull : undefined });
}

/** The limits in the plan of the function with an id, which is their scope by default; none without such a field. */
export function toLimits(
  id: string,
  { concurrency, rate, scope: named = id }: Decoded<typeof LIMIT_FIELDS>,
): { readonly limits?: CallLimits } {
  if (concurrency === undefined && rate === undefined) return {};
  const [places, starts] = [concurrency && toLimit(concurrency), rate && toLimit(rate)];
  return { limits: { scope: named, ...omitUndefined({ concurrency: places, rate: starts }) } };
}

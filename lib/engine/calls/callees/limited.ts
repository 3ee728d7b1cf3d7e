import type { CallLimits } from '../../../compiler/plan/concurrency.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure } from '../../evaluation/failures.ts';
import type { Callee } from './callee.ts';

const MAX_KEY_LENGTH = 1024;

/** The value of the key of a field as text; empty without a key. Throws the catchable `jq.badCommand`. */
async function keyOf(field: keyof CallLimits, query: unknown, data: unknown): Promise<string> {
  if (query === undefined) return '';
  const value = await evaluate(query, data);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= MAX_KEY_LENGTH) return text;
  throw failure('jq.badCommand', `${field}.key of the function: has more than ${MAX_KEY_LENGTH} characters`);
}

/** The callee of a function with limits: its calls know the scope and the values of the keys. */
export const limited = (callee: Callee, { scope, ...rules }: CallLimits): Callee => {
  const refusing = (['concurrency', 'rate'] as const).filter((name) => rules[name]?.whenFull === 'refuse');
  return {
    ...callee,
    prepare: async (data, readSecrets) => ({
      ...(await callee.prepare(data, readSecrets)),
      limits: {
        scope,
        key: await keyOf('concurrency', rules.concurrency?.key, data),
        rateKey: await keyOf('rate', rules.rate?.key, data),
        ...(refusing.length === 0 ? {} : { refusing }),
      },
    }),
  };
};

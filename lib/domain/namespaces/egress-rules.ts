import { isEgressRule } from '../../egress/addresses.ts';
import { ServiceError } from '../errors.ts';

/** The most egress rules of a namespace. */
const MAX_EGRESS_RULES = 100;

/** Returns the rules that open private hosts and address ranges. Throws `invalid` for an invalid rule, and for too many. */
export function needEgressRules(rules: readonly string[]): readonly string[] {
  const wrong = rules.find((rule) => !isEgressRule(rule));
  if (wrong !== undefined) {
    const forms = 'a host such as api.internal, *.internal, an address, or a range such as 10.1.0.0/16';
    throw new ServiceError('invalid', `'${wrong.slice(0, 60)}' in 'egress' is no rule: write ${forms}`);
  }
  if (rules.length > MAX_EGRESS_RULES) {
    const limit = `a namespace has at most ${MAX_EGRESS_RULES}`;
    throw new ServiceError('invalid', `'egress' has ${rules.length} rules; ${limit}`);
  }
  return rules;
}

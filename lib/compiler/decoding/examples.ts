import { ownMember } from '../../language/own-members.ts';

/** Fields that are often written in a wrong form, by their names, as they are written right. */
const EXAMPLES: Readonly<Record<string, string>> = {
  catch: "[{error: 'http.*', transition: failed}], with the id of the next state",
  onFailure: 'undo, the id of a state',
  finally: 'release, the id of a state',
  cancelOn: '{type: order.cancelled, context: {order: jq(.order)}}',
  timeouts: '{interrupt: PT1H}',
  retries: "{max_attempts: 3, delay: PT5S, codes: ['http.*']}",
  hmac: '{secret: HOOK_SECRET, header: X-Signature}, with the name of a secret',
  basic: '{user: shop, password: HOOK_SECRET}, with the name of a secret',
  missed: "latest, in {type: scheduled, cron: '0 2 * * *', missed: latest}",
};

/** The hint about a field with a value of a wrong form; undefined where there is no example. */
export function exampleHint(name: string): string | undefined {
  const example = ownMember(EXAMPLES, name);
  return example === undefined ? undefined : `for example ${name}: ${example}`;
}

import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import { toJson } from '../../../language/json.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { evaluateWithSecrets, type SecretReader } from '../../evaluation/secrets.ts';

/**
 * The input of a call as bytes of JSON, evaluated over the data and the secrets that the action lists (reference, 2.1 and
 * 6.4). Throws `jq.badCommand` and `secrets.notFound`.
 */
export async function evaluateInput(
  { input, secrets }: ActionPlan,
  data: unknown,
  readSecrets: SecretReader,
): Promise<Uint8Array> {
  if (secrets.length === 0) return Buffer.from(toJson(await evaluate(input, data)));
  return Buffer.from(toJson(await evaluateWithSecrets(input, data, await readSecrets(secrets))));
}

import { readsFiles } from '../../compiler/plan/native-images.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { toJson } from '../../language/json.ts';
import type { CallInput } from '../containers/calls.ts';
import { filesOf } from '../containers/files.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import type { Callee } from './callees.ts';

/** The input as bytes of JSON, evaluated over the data and the secrets that the action lists (reference, 2.1 and 6.4). */
async function evaluateInput(
  { input, secrets }: ActionPlan,
  data: unknown,
  readSecrets: SecretReader,
): Promise<Uint8Array> {
  if (secrets.length === 0) return Buffer.from(toJson(await evaluate(input, data)));
  return Buffer.from(toJson(await evaluateWithSecrets(input, data, await readSecrets(secrets))));
}

/**
 * Evaluates the input that a call passes to its callee, and the files for a container or a mail. Throws
 * `jq.badCommand`, `secrets.notFound`, `http.request`, `worker.task`, and what `filesOf` throws.
 */
export async function evaluateCallInput(callee: Callee, data: unknown, readSecrets: SecretReader): Promise<CallInput> {
  const { kind, action } = callee;
  const hasFiles = kind === 'service' || (kind === 'native' && readsFiles(callee.function));
  const files = hasFiles ? await filesOf(action, data, readSecrets) : [];
  if (kind === 'native' || kind === 'worker') return { ...(await callee.prepare(data, readSecrets)), files };
  return { input: await evaluateInput(action, data, readSecrets), files };
}

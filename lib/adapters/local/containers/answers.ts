import type { ContainerResult } from '../../../ports.ts';
import { failed, failureIn } from '../../aws/containers/protocol.ts';
import type { Told } from './sidecar.ts';

/** What a container's answer means (workflow-language reference, 11.3). */
export function resultOf({ answered, body, outputs }: Told): ContainerResult {
  const problem = answered.problem === '' ? undefined : { code: '', message: answered.problem };
  const failure = problem ?? failureIn({ ...answered, body });
  return failure === undefined ? { body, outputs } : { ...failed(failure.message, failure.code), outputs };
}

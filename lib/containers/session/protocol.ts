import type { ContainerCall, ContainerResult } from '../../ports/containers.ts';
import { brandedHeaders } from '../sidecar/messages.ts';

/** The headers that describe a call to its function (workflow-language reference, 11.1 and 11.2). */
export function callHeaders({
  instanceId,
  namespace,
  step,
  iterator,
  deadline,
  traceparent,
}: ContainerCall): Record<string, string> {
  return {
    ...brandedHeaders('InstanceID', instanceId),
    ...brandedHeaders('Namespace', namespace),
    ...brandedHeaders('Step', String(step)),
    ...brandedHeaders('Deadline', new Date(deadline).toISOString()),
    traceparent,
    ...(iterator === undefined ? {} : brandedHeaders('Iterator', String(iterator))),
  };
}

/** The result of a call that failed; without a code it is a crash. The message is for the user. */
export function failedResult(message: string, code = ''): ContainerResult {
  return { body: new Uint8Array(), failure: { code, message }, outputs: [] };
}

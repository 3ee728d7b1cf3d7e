import type { ContainerCall, ContainerResult } from '../../ports/containers.ts';
import { spellings } from '../sidecar/messages.ts';

/** What a container learns of its call beside the input (workflow-language reference, 11.1 and 11.2). */
export function headersOf({ instanceId, namespace, step, iterator, deadline }: ContainerCall): Record<string, string> {
  return {
    ...spellings('InstanceID', instanceId),
    ...spellings('Namespace', namespace),
    ...spellings('Step', String(step)),
    ...spellings('Deadline', new Date(deadline).toISOString()),
    ...(iterator === undefined ? {} : spellings('Iterator', String(iterator))),
  };
}

/** A result that says what went wrong around a call; without a code it is a crash. */
export function failed(message: string, code = ''): ContainerResult {
  return { body: new Uint8Array(), failure: { code, message }, outputs: [] };
}

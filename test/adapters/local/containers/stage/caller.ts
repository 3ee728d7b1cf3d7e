/** Calls containers as a run does, and remembers what they ask of it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type LocalContainersOptions,
  localContainers,
} from '../../../../../lib/adapters/local/containers/containers.ts';
import type {
  ContainerCall,
  ContainerHost,
  ContainerRevision,
  RevisionStatus,
} from '../../../../../lib/ports/containers.ts';

export interface Heard {
  readonly logs: string[];
  readonly variables: Map<string, { readonly text: string; readonly mimeType?: string | undefined }>;
}

export function hearing(): Heard & { readonly host: ContainerHost } {
  const logs: string[] = [];
  const variables: Heard['variables'] = new Map();
  const host: ContainerHost = {
    log: async (text) => void logs.push(text),
    variable: async (scope, key) => {
      if (key === 'forbidden') throw new Error('this key is not for you');
      const found = variables.get(`${scope}/${key}`);
      return found && Buffer.from(found.text);
    },
    setVariable: async (scope, key, bytes, mimeType) => {
      const text = bytes.length > 1000 ? `${bytes.length} bytes` : Buffer.from(bytes).toString();
      variables.set(`${scope}/${key}`, { text, mimeType });
    },
  };
  return { logs, variables, host };
}

export function revisionOf(image: string, given: Partial<ContainerRevision> = {}): ContainerRevision {
  const id = `test-${randomUUID().slice(0, 8)}-00001`;
  return { id, image, command: [], environment: {}, size: 1, minScale: 0, credentials: [], ...given };
}

export function callOf(input: object, given: Partial<ContainerCall> = {}): ContainerCall {
  return {
    actionId: randomUUID(),
    instanceId: randomUUID(),
    namespace: 'demo',
    step: 2,
    deadline: Date.now() + 100_000,
    input: Buffer.from(JSON.stringify(input)),
    files: [],
    host: hearing().host,
    ...given,
  };
}

/** Containers with an easy way to call them. */
export function callingContainers(options: LocalContainersOptions) {
  const containers = localContainers(options);
  const call = async (id: string, input: object, given: Partial<ContainerCall> = {}) => {
    const { body, failure, outputs } = await containers.call(id, callOf(input, given));
    const text = Buffer.from(body).toString();
    return { text, failure, outputs, json: () => JSON.parse(text) };
  };
  const statusOf = async (id: string): Promise<RevisionStatus> => {
    const [status] = await containers.status([id]);
    if (status === undefined) throw new Error(`${id} was never prepared`);
    return status;
  };
  const prepared = async (revision: ContainerRevision) => {
    await containers.prepare(revision);
    return until(
      () => statusOf(revision.id),
      ({ state }) => state !== 'preparing',
    );
  };
  return { containers, call, statusOf, prepared };
}

/** Asks until the answer is as wished; the test's own time limit is the only one. */
export async function until<T>(ask: () => Promise<T>, isWished: (told: T) => boolean): Promise<T> {
  for (;;) {
    const told = await ask();
    if (isWished(told)) return told;
    await sleep(100);
  }
}

/** A service over real containers, with the operations that its tests share. */
import { localContainers } from '../../../lib/adapters/local/containers/containers.ts';
import type { Engine } from '../../../lib/adapters/local/containers/engine/engine.ts';
import type { RevisionTimeouts } from '../../../lib/adapters/local/containers/running-revision.ts';
import { until } from '../../adapters/local/containers/fixtures/caller.ts';
import { type Answer, type Json, rowsOf } from '../access/client.ts';
import { type Asking, openSpace, type Space } from './service-space.ts';

/** A separate namespace with a workflow `wf`. */
export interface Home {
  readonly name: string;
  /** The path of its services. */
  readonly services: string;
  readonly path: string;
  store(yaml: string, path?: string): Promise<void>;
  /** Creates a service, waits until its preparation has succeeded or failed, and returns its row of the list. */
  create(service: object): Promise<Json>;
  /** Stores `wf` as a workflow with one action, which calls the service of the namespace with that name. */
  storeCaller(service: string, more?: string): Promise<void>;
  wait(input: object, path?: string): Promise<Answer>;
  /** The reply of the container when `wf` calls it. */
  call(input: object): Promise<Json>;
  row(service: string): Promise<Json>;
  pods(service: string, generation?: string): Promise<readonly Json[]>;
}

export interface ContainerSpace extends Space {
  home(): Promise<Home>;
}

const ENTRYPOINT = '/node /function.mjs';

/** The command of the test image in another mode, or with arguments that identify the container. */
export const commandOf = (...words: string[]): string => [ENTRYPOINT, ...words].join(' ');

export async function openContainerSpace(patience: Partial<RevisionTimeouts>): Promise<ContainerSpace> {
  const containers = localContainers({ folder: undefined, timeouts: patience });
  const space = await openSpace({ containers });
  return {
    ...space,
    home: async () => homeOf(space, await space.namespace()),
    // Running calls end with their service.
    close: () => space.close().then(() => containers.close()),
  };
}

/** An existing namespace. */
export function homeOf({ client, good }: Asking, name: string): Home {
  const services = `/api/functions/namespaces/${name}`;
  const path = `/api/namespaces/${name}`;
  const store: Home['store'] = async (yaml, to = 'wf') => {
    const { status, text } = await client.call('PUT', `${path}/tree/${to}?op=create-workflow`, { body: yaml });
    if (status !== 200) throw new Error(text);
  };
  const wait: Home['wait'] = (input, to = 'wf') => client.call('POST', `${path}/tree/${to}?op=wait`, { json: input });
  const row = async (service: string): Promise<Json> => {
    const rows = rowsOf((await good('GET', services))['functions']);
    const found = rows.find((one) => String(one['info']?.['name']) === service);
    if (found === undefined) throw new Error(`there is no service ${service}`);
    return found;
  };
  return {
    name,
    services,
    path,
    store,
    row,
    create: async (service) => {
      await good('POST', services, { size: 0, minScale: 0, cmd: '', ...service });
      return until(
        () => row((service as { name: string }).name),
        ({ status }) => String(status) !== 'Unknown',
      );
    },
    storeCaller: (service, more = '') =>
      store(`functions: [{id: f, type: knative-namespace, service: ${service}}]
states: [{id: a, type: action, action: {function: f, input: jq(.)${more}}}]
`),
    wait,
    call: async (input) => {
      const answer = await wait(input);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json()['return'] as Json;
    },
    pods: async (service, generation = '00001') => {
      const reply = await good('GET', `${services}/function/${service}/revisions/${generation}/pods`);
      return rowsOf(reply['pods']);
    },
  };
}

/** The id of a container in the engine. */
export async function idOf(engine: Engine, name: string): Promise<string> {
  const { stdout } = await engine.run(['ps', '-q', '--no-trunc', '--filter', `name=^${name}$`]);
  return stdout.trim();
}

import type { Call } from '../../lib/api/http/call.ts';
import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { completeTask, failTask, type Holding, renewLease } from '../../lib/engine/requests/worker-tasks/ending.ts';
import { listQueues, listTasks } from '../../lib/engine/requests/worker-tasks/listing.ts';
import { pollTasks } from '../../lib/engine/requests/worker-tasks/taking.ts';
import type { Ports } from '../../lib/ports/ports.ts';

type Ending = Pick<Call<'completeTask' | 'failTask' | 'renewTask'>, 'path' | 'input'>;

async function holdingOf(ports: Pick<Ports, 'table'>, { path, input: { task, lease } }: Ending): Promise<Holding> {
  return { namespace: await namespaces.need(ports, path.namespace), queue: path.queue, task, lease };
}

export const endpoints: Endpoints<'workers'> = {
  listQueues: async (ports, { path }) => {
    const home = await namespaces.need(ports, path.namespace);
    return { namespace: home.name, queues: await listQueues(ports, home) };
  },
  listTasks: async (ports, { path }) => {
    const home = await namespaces.need(ports, path.namespace);
    return { namespace: home.name, ...(await listTasks(ports, home, path.queue)) };
  },
  pollTasks: async (ports, { path, input, deadline }) => {
    const home = await namespaces.need(ports, path.namespace);
    const poll = input ?? { worker: '', max: 1, wait: 'PT20S' };
    const tasks = await pollTasks(ports, home, path.queue, { ...poll, deadline });
    return { namespace: home.name, queue: path.queue, tasks };
  },
  completeTask: async (ports, call) => completeTask(ports, await holdingOf(ports, call), call.input.output),
  failTask: async (ports, call) => failTask(ports, await holdingOf(ports, call), call.input),
  renewTask: async (ports, call) => renewLease(ports, await holdingOf(ports, call), call.input.duration),
};

import type { ActionPlan } from '../../../lib/compiler/plan/plan.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import type * as runs from '../../../lib/domain/runs/runs.ts';
import { derivedId, spreadId } from '../../../lib/domain/storage/ids.ts';
import { storeChild } from '../../../lib/engine/calls/callees/children.ts';
import { openWorker } from '../../../lib/engine/calls/callees/worker.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { pollTasks } from '../../../lib/engine/requests/worker-tasks/taking.ts';
import { childId } from '../../../lib/engine/run/child-ids.ts';
import { blankRun } from '../../../lib/engine/run/new-run.ts';
import { HOUR_MS } from '../../../lib/time/units.ts';

const callerId = (now: number, n: number): string => spreadId(derivedId(now, 'caller', n));

/** The id of a task that is offered at a time, milliseconds since 1970. */
export const offeredId = (now: number, n: number): string =>
  childId({ ...blankRun(now), id: callerId(now, n) } as runs.Run, now, { i: 0, k: 0 });

/** Offers a task as a run does that began with the namespace as given. Returns the task as stored. */
export async function offerTask(ports: RunnerPorts, namespace: Namespace, n: number, priority = 0) {
  const now = ports.clock.now();
  const blank = blankRun(now);
  const { id: namespaceId, name, spread } = namespace;
  const run: runs.Run = {
    ...blank,
    kind: 'workflow',
    id: callerId(now, n),
    namespaceId,
    namespace: name,
    workflowId: 'workflow',
    path: '/main',
    as: '/main',
    revision: 'revision',
    invoker: 'api',
    data: {},
    input: Buffer.from('{}'),
    settings: spread === undefined ? blank.settings : { ...blank.settings, spread },
  };
  const callee = openWorker({ type: 'worker', task: { queue: 'jobs' } }, { function: 'f' } as ActionPlan);
  const child = await callee.newChild(ports, {
    callee,
    caller: { run, origin: now, mode: 'and', state: 'a', wake: now + HOUR_MS, isLoop: false },
    key: { i: 0, k: 0 },
    input: { input: Buffer.from(String(n)), files: [], task: { queue: 'jobs', priority, leaseMs: HOUR_MS } },
    task: { token: 'token' },
  });
  return storeChild(ports, child);
}

/** Takes at most `max` tasks without waiting. */
export const takeTasks = (ports: RunnerPorts, namespace: Namespace, max: number, lease?: string) =>
  pollTasks(ports, namespace, 'jobs', { worker: 'w', max, lease, wait: 'PT0S', deadline: Number.POSITIVE_INFINITY });

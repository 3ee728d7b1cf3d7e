import * as runs from '../../domain/runs/runs.ts';
import { ConflictError } from '../../ports/table.ts';
import type { EnginePorts, KeeperPorts } from '../ports.ts';
import { conclude } from '../run/endings.ts';
import { sendAll } from '../run/outbox.ts';
import { Draft } from '../run/unit-of-work.ts';
import { childId } from './children.ts';

/** Who ends a run, and what it says. */
const REASONS = {
  'cancels.api': 'cancelled by api request',
  'cancels.parent': 'cancelled by parent workflow',
} as const;

type Reason = keyof typeof REASONS;

async function endOnce(ports: EnginePorts, run: runs.Run, reason: Reason): Promise<runs.Run> {
  const message = REASONS[reason];
  const draft = new Draft(ports, run);
  const code = draft.branded(reason);
  draft.log(`Instance failed with uncatchable error '${code}': ${message}`, 'error');
  const { run: ended, writes } = await draft.settle({ status: 'failed', code, message });
  return runs.commit(ports, ended, writes);
}

/** The run after it was ended; one that was over already stays as it is. The commit decides who ended it. */
async function endRun(ports: EnginePorts, run: runs.Run, reason: Reason): Promise<runs.Run> {
  let current = run;
  while (current.status === 'pending') {
    try {
      return await endOnce(ports, current, reason);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      current = (await runs.find(ports, run.id)) ?? run;
    }
  }
  return current;
}

/** Nobody waits for the container any longer, whether it learns of it or not. */
async function tellContainer(
  { containers }: Pick<KeeperPorts, 'containers'>,
  { service, id }: runs.Run,
): Promise<void> {
  if (service === undefined) return;
  await containers.cancel(service.revision, id).catch((error: unknown) => {
    console.error(`the container of the call ${id} could not be told that it is cancelled`, error);
  });
}

const isCancelled = ({ code }: runs.Run): boolean => /\.cancels\.(api|parent)$/.test(code);

/**
 * Ends a pending run and every child it waits for; one that is over stays as it is. Repeating a cancellation that was
 * cut short finishes it.
 */
export async function cancel(ports: KeeperPorts, run: runs.Run, reason: Reason = 'cancels.api'): Promise<void> {
  const ended = await endRun(ports, run, reason);
  if (!isCancelled(ended)) return;
  await tellContainer(ports, ended);
  if (ended.machine !== '')
    await ports.executions.stop(ended.machine, runs.executionOf(ended), ended.code, ended.message);
  await cancelCalls(ports, ended);
  await sendAll(ports, ended);
  await conclude(ports, ended);
}

/** Ends the children that a run's present state waits for, with all that they wait for. */
export async function cancelCalls(ports: KeeperPorts, run: runs.Run): Promise<void> {
  const { pause } = run;
  if (pause?.calls === undefined) return;
  let open = pause.calls.waiting.map(({ i }) => i);
  // An attempt exists only if the one before it does.
  for (let k = 0; open.length > 0; k += 1) {
    const ids = open.map((i) => childId(run, pause.origin, { i, k }));
    const found = await runs.findMany(ports, ids);
    for (const child of found) if (child?.status === 'pending') await cancel(ports, child, 'cancels.parent');
    open = open.filter((_, index) => found[index] !== undefined);
  }
}

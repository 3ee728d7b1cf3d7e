import * as runs from '../domain/runs.ts';
import { Conflict } from '../ports.ts';
import { Draft, type EnginePorts } from './draft.ts';
import { announce } from './endings.ts';

const MESSAGE = 'cancelled by api request';

/** Ends a pending run; one that is over stays as it is. The end is decided by the commit, whoever else ends it. */
export async function cancel(ports: EnginePorts, run: runs.Run): Promise<void> {
  let current: runs.Run | undefined = run;
  while (current?.status === 'pending') {
    try {
      return await endRun(ports, current);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      current = await runs.find(ports, run.id);
    }
  }
}

async function endRun(ports: EnginePorts, run: runs.Run): Promise<void> {
  const draft = new Draft(ports, run);
  const code = draft.branded('cancels.api');
  draft.log(`Instance failed with uncatchable error '${code}': ${MESSAGE}`, 'error');
  const { run: ended } = await draft.settle({ status: 'failed', code, message: MESSAGE });
  await runs.commit(ports, ended);
  announce(run.id);
  const name = run.executions > 1 ? `${run.id}-${run.executions}` : run.id;
  if (run.machine !== '') await ports.executions.stop(run.machine, name, code, MESSAGE);
}

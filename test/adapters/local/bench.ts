import type { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';
import {
  type LocalExecutions,
  type LocalExecutionsOptions,
  localExecutions,
} from '../../../lib/adapters/local/executions/executions.ts';
import { type Bench, type Ending, NamedError, type TestFunction } from '../../contract/executions.ts';
import { owning } from './owning.ts';
import { VirtualTime } from './virtual-time.ts';

export interface LocalBench extends Bench {
  readonly executions: LocalExecutions;
  readonly time: VirtualTime;
}

type Options = Partial<LocalExecutionsOptions> & {
  readonly file?: string;
  readonly functions?: Map<string, TestFunction>;
  readonly time?: VirtualTime;
};

/** Local executions on virtual time; in memory unless there is a file. */
export function openBench({
  file = ':memory:',
  functions = new Map(),
  time = new VirtualTime(),
  ...options
}: Options = {}): LocalBench {
  const open = (database: LocalDatabase) =>
    localExecutions({
      database,
      clock: time.clock,
      alarm: time.alarm,
      invoke: async (name, payload, { token }) => {
        const called = functions.get(name);
        if (!called) throw new NamedError('Lambda.ResourceNotFoundException', `there is no function ${name}`);
        return called(payload, token);
      },
      ...options,
    });
  const executions = owning(file, open);
  return {
    executions,
    functions,
    time,
    status: async (handle, name) => executions.describe(handle, name)?.status,
    close: () => executions.close(),
    async ending(handle, name) {
      for (;;) {
        const description = executions.describe(handle, name);
        if (description && description.status !== 'RUNNING') return description as Ending;
        await time.sleep(100);
      }
    },
  };
}

import type { Scope } from '../../compiler/plan/plan.ts';
import type { Owner } from '../../domain/namespaces/variables.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { internalFailure } from '../evaluation/failures.ts';
import type { Draft } from './unit-of-work.ts';

const OWNERS: Partial<Record<Scope, (run: Run, name: string, threads: Run['threads']) => Owner>> = {
  instance: (run) => ({ scope: 'instance', id: run.id }),
  // A child shares the thread variables that were there when it began.
  thread: (run, name, threads) => ({
    scope: 'thread',
    id: Object.hasOwn(threads, name) ? (threads[name] ?? run.id) : run.id,
  }),
  workflow: (run) => ({ scope: 'workflow', id: run.workflowId }),
  namespace: (run) => ({ scope: 'namespace', id: run.namespaceId }),
};

/** Whose variable of this name a scope means for a run. */
export function ownerOf({ run, threads }: Pick<Draft, 'run' | 'threads'>, scope: Scope, name: string): Owner {
  const owner = OWNERS[scope]?.(run, name, threads);
  if (owner === undefined) throw internalFailure(`scope '${scope}' holds no variables`);
  return owner;
}

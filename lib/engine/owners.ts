import type { Scope } from '../compiler/plan.ts';
import type { Run } from '../domain/runs.ts';
import type { Owner } from '../domain/variables.ts';
import { internalFailure } from './failures.ts';

const OWNERS: Partial<Record<Scope, (run: Run) => Owner>> = {
  instance: (run) => ({ scope: 'instance', id: run.id }),
  thread: (run) => ({ scope: 'thread', id: run.id }),
  workflow: (run) => ({ scope: 'workflow', id: run.workflowId }),
  namespace: (run) => ({ scope: 'namespace', id: run.namespaceId }),
};

/** Whose variables a scope names for a run. */
export function ownerOf(run: Run, scope: Scope): Owner {
  const owner = OWNERS[scope]?.(run);
  if (owner === undefined) throw internalFailure(`scope '${scope}' holds no variables`);
  return owner;
}

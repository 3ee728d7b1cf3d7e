import type { Scope } from '../../compiler/plan/plan.ts';
import type { Owner } from '../../domain/namespaces/variables.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { internalFailure } from '../evaluation/failures.ts';

/** The scopes that hold variables; the others are read-only and read elsewhere. */
type VariableScope = Exclude<Scope, 'system' | 'file'>;

/** A run, and the owners of its thread variables by now. */
interface Accessor {
  readonly run: Pick<Run, 'id' | 'workflowId' | 'namespaceId'>;
  readonly threads: Run['threads'];
}

const OWNERS: Readonly<Record<VariableScope, (accessor: Accessor, name: string) => Owner>> = {
  instance: ({ run }) => ({ scope: 'instance', id: run.id }),
  // A child shares the thread variables that existed when it began.
  thread: ({ run, threads }, name) => ({
    scope: 'thread',
    id: Object.hasOwn(threads, name) ? (threads[name] ?? run.id) : run.id,
  }),
  workflow: ({ run }) => ({ scope: 'workflow', id: run.workflowId }),
  namespace: ({ run }) => ({ scope: 'namespace', id: run.namespaceId }),
};

const isVariableScope = (scope: Scope): scope is VariableScope => Object.hasOwn(OWNERS, scope);

/**
 * The owner of the variable that a run means by a scope and a name. Throws an internal failure for a scope that holds no
 * variables; the compiler rejects those.
 */
export function ownerOf(accessor: Accessor, scope: Scope, name: string): Owner {
  if (!isVariableScope(scope)) throw internalFailure(`scope '${scope}' holds no variables`);
  return OWNERS[scope](accessor, name);
}

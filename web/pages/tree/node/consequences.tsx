import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Node } from '../../../../clients/api/operations.ts';
import { toApiError } from '../../../data/api/errors.ts';
import { count } from '../../../data/format/text.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { pendingRuns } from '../../../data/workflow/runs.ts';
import { type Caller, callersOf } from '../../../data/workflow/tree.ts';
import { Skeleton } from '../../../parts/note/note.tsx';

interface ConsequencesProps {
  readonly namespace: string;
  readonly node: Node;
  /** The verb of the sentence about a workflow that names the node: `calls it and would fail`. */
  readonly verb: string;
}

interface Found {
  readonly callers: readonly Caller[];
  readonly pending: number;
}

/** The dependents of a node: workflows that call it, and runs that are not over. */
export function Consequences({ namespace, node, verb }: ConsequencesProps) {
  const found = useSignal<Found | undefined>(undefined);
  const error = useSignal('');
  useEffect(() => {
    Promise.all([callersOf(namespace, node), pendingRuns(namespace, node.path)]).then(
      ([callers, pending]) => {
        found.value = { callers, pending };
      },
      (failure: unknown) => {
        error.value = toApiError(failure).message;
      },
    );
  }, [namespace, node, found, error]);
  if (error.value !== '') return <p class="quiet">What depends on it could not be found out: {error.value}</p>;
  if (found.value === undefined) return <Skeleton lines={2} />;
  const { callers, pending } = found.value;
  return (
    <ul class="consequences">
      {callers.length === 0 && <li>No other workflow calls it.</li>}
      {callers.map(({ workflow, function: name, target }) => (
        <li key={`${workflow} ${name} ${target}`}>
          <a class="link" href={addresses.tree(namespace, workflow)}>
            {workflow}
          </a>{' '}
          {verb} (function <code>{name}</code>).
        </li>
      ))}
      {pending > 0 && <li>{count(pending, 'run')} in progress; each keeps the revision that it started with.</li>}
    </ul>
  );
}

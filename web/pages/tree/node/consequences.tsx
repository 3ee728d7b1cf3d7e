import type { Node } from '../../../../clients/api/operations.ts';
import { useRead } from '../../../data/api/live.ts';
import { count } from '../../../data/format/text.ts';
import { pendingRuns } from '../../../data/workflow/runs.ts';
import { callersOf } from '../../../data/workflow/tree.ts';
import { Skeleton } from '../../../parts/note/note.tsx';
import { WorkflowLink } from '../../../parts/value/links.tsx';

interface ConsequencesProps {
  readonly namespace: string;
  readonly node: Node;
  /** The verb of the sentence about a workflow that names the node: `calls it and would fail`. */
  readonly verb: string;
}

/** The dependents of a node: workflows that call it, and runs in progress. */
export function Consequences({ namespace, node, verb }: ConsequencesProps) {
  const read = () => Promise.all([callersOf(namespace, node), pendingRuns(namespace, node.path)]);
  const { value, error } = useRead(['dependents', namespace, node.path], read);
  if (error.value !== undefined)
    return <p class="quiet">What depends on it could not be found out: {error.value.message}</p>;
  if (value.value === undefined) return <Skeleton lines={2} />;
  const [callers, pending] = value.value;
  return (
    <ul class="consequences">
      {callers.length === 0 && <li>No other workflow calls it.</li>}
      {callers.map(({ workflow, function: name, target }) => (
        <li key={`${workflow} ${name} ${target}`}>
          <WorkflowLink {...{ namespace, workflow }} /> {verb} (function <code>{name}</code>).
        </li>
      ))}
      {pending > 0 && <li>{count(pending, 'run')} in progress; each keeps the revision that it started with.</li>}
    </ul>
  );
}

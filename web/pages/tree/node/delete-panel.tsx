import type { Node } from '../../../../clients/api/operations.ts';
import { call } from '../../../data/api/client.ts';
import { useTask } from '../../../data/api/task.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { go } from '../../../data/navigation/location.ts';
import { restore } from '../../../data/workflow/restoring.ts';
import { Button } from '../../../parts/button/button.tsx';
import { ErrorNote } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { Consequences } from './consequences.tsx';

interface PanelProps {
  readonly namespace: string;
  readonly node: Node;
  readonly onDone: () => void;
}

/** Deletes a node; for some seconds, a button offers to restore it. The page of a folder offers it for longer. */
async function remove({ namespace, node }: Pick<PanelProps, 'namespace' | 'node'>): Promise<void> {
  await call('deleteNode', { namespace, node: node.path }, { query: { recursive: true } });
  say(`Deleted ${node.path}`, { undo: () => restore(namespace, node.path) });
}

/** The panel that deletes a node; it lists the dependents of the node first. */
export function DeletePanel({ namespace, node, onDone }: PanelProps) {
  const task = useTask();
  const confirm = async () => {
    if (!(await task.run(() => remove({ namespace, node })))) return;
    onDone();
    go(addresses.tree(namespace, node.path.slice(0, node.path.lastIndexOf('/'))));
  };
  const words =
    node.type === 'workflow'
      ? 'Deletes the workflow with its revisions, variables and log. Its runs stay. It can be restored for 30 days, without its variables.'
      : 'Deletes the folder and everything in it: workflows with their revisions, variables and logs. The workflows can be restored for 30 days, without their variables.';
  return (
    <div class="stack">
      <p>{words}</p>
      <Consequences namespace={namespace} node={node} verb="calls it and would fail" />
      {task.error.value && <ErrorNote title="Nothing was deleted" error={task.error.value} />}
      <div class="line">
        <Button kind="danger" icon="trash" isBusy={task.isBusy.value} onClick={confirm}>
          Delete {node.name}
        </Button>
        <Button kind="bare" onClick={onDone}>
          Keep it
        </Button>
      </div>
    </div>
  );
}

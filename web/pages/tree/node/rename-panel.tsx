import { useSignal } from '@preact/signals';
import type { Node } from '../../../../clients/api/operations.ts';
import { call } from '../../../data/api/client.ts';
import { into, useTask } from '../../../data/api/task.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { go } from '../../../data/navigation/location.ts';
import { TextField } from '../../../parts/field/field.tsx';
import { Form } from '../../../parts/form/form.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { Consequences } from './consequences.tsx';

interface PanelProps {
  readonly namespace: string;
  readonly node: Node;
  readonly onDone: () => void;
}

/** Renames or moves a node, and lists the workflows that call it by the present path. */
export function RenamePanel({ namespace, node, onDone }: PanelProps) {
  const path = useSignal(node.path);
  const task = useTask();
  const rename = async () => {
    await call('renameNode', { namespace, node: node.path }, { body: { new: path.value } });
    const back = () => call('renameNode', { namespace, node: path.value }, { body: { new: node.path } });
    say(`Now ${path.value}`, { undo: back });
    onDone();
    if (window.location.pathname.includes(addresses.tree(namespace, node.path))) {
      go(addresses.tree(namespace, path.value));
    }
  };
  return (
    <Form task={task} work={rename} act="Rename" onLeave={onDone}>
      <TextField
        label="Path"
        isCode
        isRequired
        hasFocus
        value={path.value}
        error={task.error.value?.message}
        hint="Another folder in the path moves it; the folder must exist"
        onInput={into(path)}
      />
      <Consequences namespace={namespace} node={node} verb="calls it under the present path" />
    </Form>
  );
}

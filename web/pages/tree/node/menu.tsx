import { useSignal } from '@preact/signals';
import type { Node } from '../../../../clients/api/operations.ts';
import { may } from '../../../data/api/session.ts';
import { into } from '../../../data/api/task.ts';
import { Icon } from '../../../parts/icon/icon.tsx';
import { Inspector } from '../../../parts/inspector/inspector.tsx';
import { Menu } from '../../../parts/menu/menu.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { RenamePanel } from './rename-panel.tsx';

/** The actions on a node of the tree. */
export function NodeMenu({ namespace, node }: { readonly namespace: string; readonly node: Node }) {
  const panel = useSignal<'rename' | 'delete' | undefined>(undefined);
  if (!may('renameNode')) return null;
  const close = () => into(panel)(undefined);
  const title = panel.value === 'rename' ? 'Rename or move' : 'Delete';
  return (
    <>
      <Menu
        label={`Actions for ${node.name}`}
        items={[
          { label: 'Rename or move', icon: 'edit', onSelect: () => into(panel)('rename') },
          { label: 'Delete', icon: 'trash', isDanger: true, onSelect: () => into(panel)('delete') },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {panel.value !== undefined && (
        <Inspector title={`${title} ${node.path}`} label={title} onClose={close}>
          {panel.value === 'rename' ? (
            <RenamePanel namespace={namespace} node={node} onDone={close} />
          ) : (
            <DeletePanel namespace={namespace} node={node} onDone={close} />
          )}
        </Inspector>
      )}
    </>
  );
}

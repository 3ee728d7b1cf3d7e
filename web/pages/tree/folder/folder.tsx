import { useSignal } from '@preact/signals';
import type { Directory, Node } from '../../../../clients/api/operations.ts';
import { may } from '../../../data/api/session.ts';
import { into } from '../../../data/api/task.ts';
import { count } from '../../../data/format/text.ts';
import { useActions } from '../../../data/navigation/actions.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { inOrder } from '../../../data/workflow/tree.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Head } from '../../../parts/head/head.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { Empty } from '../../../parts/note/note.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import { Label } from '../../../parts/value/label.tsx';
import { Time } from '../../../parts/value/value.tsx';
import { NodeMenu } from '../node/menu.tsx';
import { CreateForm, type Creating } from './create.tsx';
import { DeletedPanel } from './deleted.tsx';

function Name({ node }: { readonly node: Node }) {
  return (
    <span class="node-name">
      <Icon name={node.type === 'directory' ? 'folder' : 'workflow'} />
      <span class="cut">{node.name}</span>
    </span>
  );
}

function columnsFor(namespace: string): readonly Column<Node>[] {
  return [
    { name: 'Name', width: 'minmax(180px, 2fr)', cell: (node) => <Name node={node} /> },
    {
      name: 'Labels',
      width: 'minmax(80px, 1fr)',
      cell: ({ attributes }) => (
        <span class="line">
          {attributes.map((label) => (
            <Label key={label} text={label} />
          ))}
        </span>
      ),
    },
    { name: 'Created', width: '140px', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Updated', width: '140px', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    { name: 'Actions', width: '64px', isRight: true, cell: (node) => <NodeMenu namespace={namespace} node={node} /> },
  ];
}

function Content({ namespace, nodes }: { readonly namespace: string; readonly nodes: readonly Node[] }) {
  return (
    <Table
      label="Content"
      columns={columnsFor(namespace)}
      rows={nodes}
      keyOf={({ oid }) => oid}
      hrefOf={({ path }) => addresses.tree(namespace, path)}
      narrow={(node) => (
        <span class="two-lines">
          <Name node={node} />
          <Time at={node.updatedAt} />
        </span>
      )}
    />
  );
}

function NoContent() {
  return (
    <Empty icon="workflow" title="This folder is empty">
      <p>Workflows are stored here, in folders if there are many. Requests and subflows call a workflow by its path.</p>
      <p>
        <code>weft push FOLDER</code> stores the workflow files of a folder on your machine.
      </p>
    </Empty>
  );
}

interface ButtonsProps {
  readonly onCreate: (what: Creating) => void;
  readonly onDeleted: () => void;
}

function Buttons({ onCreate, onDeleted }: ButtonsProps) {
  return (
    <>
      <Button kind="bare" icon="trash" onClick={onDeleted}>
        Deleted
      </Button>
      <Button icon="folder" onClick={() => onCreate('directory')}>
        New folder
      </Button>
      <Button icon="plus" kind="primary" onClick={() => onCreate('workflow')}>
        New workflow
      </Button>
    </>
  );
}

/** The nodes of a directory, and the ways to add to it. */
export function FolderView({ namespace, directory }: { readonly namespace: string; readonly directory: Directory }) {
  const { node, children } = directory;
  const creating = useSignal<Creating | undefined>(undefined);
  const isDeletedShown = useSignal(false);
  const nodes = inOrder(children.results);
  const mayWrite = may('createWorkflow');
  const create = (what: Creating) => into(creating)(what);
  useActions(() => {
    const offered = [
      { id: 'new workflow', label: 'New workflow', keys: 'n', run: () => create('workflow') },
      { id: 'new folder', label: 'New folder', run: () => create('directory') },
    ];
    return mayWrite ? offered : [];
  }, [mayWrite]);
  return (
    <div class="page">
      <Head
        title={node.path === '/' ? 'Explorer' : node.name}
        name={`${node.path} in ${namespace}`}
        detail={<span>{count(nodes.length, 'entry', 'entries')}</span>}
        actions={mayWrite && <Buttons onCreate={create} onDeleted={() => into(isDeletedShown)(true)} />}
      />
      {creating.value !== undefined && (
        <CreateForm
          key={creating.value}
          what={creating.value}
          namespace={namespace}
          directory={node.path}
          onDone={() => into(creating)(undefined)}
        />
      )}
      {nodes.length === 0 ? <NoContent /> : <Content namespace={namespace} nodes={nodes} />}
      {isDeletedShown.value && (
        <DeletedPanel namespace={namespace} directory={node.path} onClose={() => into(isDeletedShown)(false)} />
      )}
    </div>
  );
}

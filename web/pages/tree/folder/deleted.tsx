import type { DeletionsReply } from '../../../../clients/api/operations.ts';
import { useLoad } from '../../../data/api/live.ts';
import { may } from '../../../data/api/session.ts';
import { useTask } from '../../../data/api/task.ts';
import { restore } from '../../../data/workflow/restoring.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Inspector } from '../../../parts/inspector/inspector.tsx';
import { ErrorNote, Skeleton } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { Time } from '../../../parts/value/value.tsx';

interface RowProps {
  readonly namespace: string;
  readonly deleted: DeletionsReply['deleted'][number];
  readonly onTried: () => void;
}

function Row({ namespace, deleted: { path, deletedAt, revision }, onTried }: RowProps) {
  const task = useTask();
  const work = async () => {
    const isDone = await task.run(() => restore(namespace, path, revision));
    if (isDone) say(`Restored ${path}`);
    else say(`Not restored: ${task.error.value?.message}`, { isWrong: true });
    onTried();
  };
  return (
    <li class="line">
      <span class="grows cut" title={path}>
        {path}
      </span>
      <Time at={deletedAt} />
      {may('restoreNode') && (
        <Button kind="bare" isBusy={task.isBusy.value} onClick={work} label={`Restore ${path}`}>
          Restore
        </Button>
      )}
    </li>
  );
}

interface ListProps {
  readonly namespace: string;
  readonly directory: string;
}

function List({ namespace, directory }: ListProps) {
  const loaded = useLoad('listDeletions', { namespace, node: directory });
  const reply = loaded.value.value;
  if (loaded.error.value) return <ErrorNote title="The deletions cannot be listed" error={loaded.error.value} />;
  if (reply === undefined) return <Skeleton lines={3} />;
  if (reply.deleted.length === 0) return <p>No workflow was deleted here in the last 30 days.</p>;
  return (
    <>
      <ul class="stack">
        {reply.deleted.map((one) => (
          <Row
            key={`${one.path} ${one.deletedAt}`}
            namespace={namespace}
            deleted={one}
            onTried={() => loaded.reload()}
          />
        ))}
      </ul>
      {reply.next !== undefined && (
        <p class="quiet">
          These are the last 100. <code>weft workflows deleted</code> lists all.
        </p>
      )}
    </>
  );
}

/** The deleted workflows of a directory that can be restored, beside the page. */
export function DeletedPanel({ namespace, directory, onClose }: ListProps & { readonly onClose: () => void }) {
  return (
    <Inspector title="Deleted workflows" label="Deleted" onClose={onClose}>
      <div class="stack">
        <p class="quiet">
          They are kept for 30 days. A restored workflow has its latest source and its labels, but not its variables and
          older revisions.
        </p>
        <List namespace={namespace} directory={directory} />
      </div>
    </Inspector>
  );
}

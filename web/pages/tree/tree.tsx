import { useSignal } from '@preact/signals';
import { useLive } from '../../data/api/live.ts';
import { isCompact } from '../../data/browser/viewport.ts';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Pages } from '../../parts/pages/pages.tsx';
import { FolderView } from './folder/folder.tsx';
import { TreeSide } from './side.tsx';
import { WorkflowView } from './workflow/workflow.tsx';

function Node({ namespace, path }: { readonly namespace: string; readonly path: string }) {
  const from = useSignal(0);
  const { value, error, state } = useLive('getNode', { namespace, node: path }, { offset: from.value });
  const reply = value.value;
  if (error.value?.status === 404) {
    return (
      <Empty icon="tree" title="Nothing has this path">
        <p>{error.value.message}: it was renamed, moved or deleted, or the address was mistyped.</p>
      </Empty>
    );
  }
  if (error.value !== undefined) return <ErrorNote title={`/${path} cannot be shown`} error={error.value} />;
  if (reply === undefined) return <Skeleton lines={6} />;
  if ('children' in reply) {
    const { pageInfo, results } = reply.children;
    return (
      <>
        <FolderView namespace={namespace} directory={reply} />
        <Pages info={pageInfo} count={results.length} from={from} />
      </>
    );
  }
  return <WorkflowView key={path} namespace={namespace} workflow={reply} state={state.value} />;
}

/** The tree of a namespace: a folder, or a workflow. */
export function TreePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '', path = '' } = params;
  return (
    <div class="tree-page">
      {!isCompact.value && <TreeSide namespace={namespace} path={`/${path}`} />}
      <div class="tree-main">
        <Node key={`${namespace} ${path}`} namespace={namespace} path={path} />
      </div>
    </div>
  );
}

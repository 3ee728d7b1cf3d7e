import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Workflow } from '../../../../clients/api/operations.ts';
import { useLoad } from '../../../data/api/live.ts';
import { may } from '../../../data/api/session.ts';
import type { StreamState } from '../../../data/api/streams.ts';
import { into } from '../../../data/api/task.ts';
import { useActions } from '../../../data/navigation/actions.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { place } from '../../../data/navigation/location.ts';
import { draftOf } from '../../../data/workflow/drafts.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Head } from '../../../parts/head/head.tsx';
import { Inspector } from '../../../parts/inspector/inspector.tsx';
import { LiveMark } from '../../../parts/live/live.tsx';
import { Tabs } from '../../../parts/tabs/tabs.tsx';
import { Label } from '../../../parts/value/label.tsx';
import { NodeMenu } from '../node/menu.tsx';
import { RunPanel } from './run-panel.tsx';
import type { TabProps } from './tab-props.ts';
import { TABS } from './tabs.tsx';

interface WorkflowViewProps {
  readonly namespace: string;
  readonly workflow: Workflow;
  readonly state: StreamState;
}

function Labels({ workflow, isLive }: { readonly workflow: Workflow; readonly isLive: boolean }) {
  return (
    <>
      {!isLive && <span class="label disabled-label">Disabled</span>}
      {workflow.node.attributes.map((label) => (
        <Label key={label} text={label} />
      ))}
    </>
  );
}

interface WorkflowHeadProps extends WorkflowViewProps {
  readonly isLive: boolean;
  readonly onRun: () => void;
}

function WorkflowHead({ namespace, workflow, state, isLive, onRun }: WorkflowHeadProps) {
  const { node } = workflow;
  return (
    <Head
      name={node.path}
      title={
        <>
          <span>{node.name}</span>
          <Labels workflow={workflow} isLive={isLive} />
        </>
      }
      detail={<LiveMark state={state} />}
      actions={
        <>
          {may('executeWorkflow') && (
            <Button kind="primary" icon="play" disabled={!isLive} onClick={onRun}>
              Run
            </Button>
          )}
          <NodeMenu namespace={namespace} node={node} />
        </>
      }
    />
  );
}

/** The page of a workflow with its views. */
export function WorkflowView(props: WorkflowViewProps) {
  const { namespace, workflow } = props;
  const { node } = workflow;
  const router = useLoad('getRouter', { namespace, node: node.path });
  const isRunning = useSignal(false);
  const draft = useMemo(() => draftOf(namespace, workflow), [namespace, node.path]);
  useEffect(() => draft.follow(workflow), [draft, workflow]);
  const chosen = place.value.query.get('tab') ?? 'source';
  const current = TABS.find(({ id }) => id === chosen) ?? TABS[0];
  const run = () => into(isRunning)(true);
  const close = () => into(isRunning)(false);
  useActions(() => (may('executeWorkflow') ? [{ id: 'run', label: 'Run this workflow', keys: 'x', run }] : []), []);
  const hrefOf = (id: string) => addresses.tree(namespace, node.path, id === 'source' ? {} : { tab: id });
  const tabs = TABS.map(({ id, label }) => ({ id, label, href: hrefOf(id) }));
  const tabProps: TabProps = { namespace, workflow, draft, router };
  const [source, isChanged] = [draft.base.value, draft.isChanged.value];
  return (
    <div class="page">
      <WorkflowHead {...props} isLive={router.value.value?.live ?? true} onRun={run} />
      <Tabs label="Views of the workflow" tabs={tabs} current={current.id} />
      <current.View {...tabProps} />
      {isRunning.value && (
        <Inspector title={`Run ${node.name}`} label="Run the workflow" onClose={close}>
          <RunPanel {...{ namespace, source, isChanged }} path={node.path} />
        </Inspector>
      )}
    </div>
  );
}

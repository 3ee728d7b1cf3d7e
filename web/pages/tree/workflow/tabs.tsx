import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useMemo } from 'preact/hooks';
import { useGrowingLog } from '../../../data/api/growing-log.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { workflowStore } from '../../../data/variables/stores.ts';
import { Log } from '../../../parts/log/log.tsx';
import { ErrorNote } from '../../../parts/note/note.tsx';
import { RunList } from '../../../parts/runs/list.tsx';
import { Variables } from '../../../parts/variables/variables.tsx';
import { EditorTab } from './editor-tab.tsx';
import { MetricsTab } from './metrics-tab.tsx';
import { RevisionsTab } from './revisions-tab.tsx';
import { ServicesTab } from './services-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import type { TabProps } from './tab-props.ts';

interface WorkflowTab {
  readonly id: string;
  readonly label: string;
  readonly View: ComponentType<TabProps>;
}

const MOST_RUNS = 50;

function RunsTab({ namespace, workflow }: TabProps) {
  const { path } = workflow.node;
  return (
    <div class="scroll">
      <div class="tab-words">
        <a class="link" href={addresses.runs(namespace, { workflow: path })}>
          All runs of this workflow, with filters
        </a>
      </div>
      <RunList
        namespace={namespace}
        label="Runs of this workflow"
        filters={[{ field: 'AS', type: 'WORKFLOW', val: path }]}
        limit={MOST_RUNS}
        none="It has not run yet."
      />
    </div>
  );
}

function VariablesTab({ namespace, workflow }: TabProps) {
  const { path } = workflow.node;
  const store = useMemo(() => workflowStore(namespace, path), [namespace, path]);
  const open = useSignal('');
  return (
    <div class="scroll padded">
      <Variables store={store} open={open} />
    </div>
  );
}

function LogTab({ namespace, workflow }: TabProps) {
  const { lines, error } = useGrowingLog('getWorkflowLogs', { namespace, node: workflow.node.path });
  if (error.value !== undefined) return <ErrorNote title="The log cannot be shown" error={error.value} />;
  return <Log lines={lines.value} label="Log of the workflow" hasStates />;
}

/** The views of a workflow, in their order. */
export const TABS: readonly [WorkflowTab, ...WorkflowTab[]] = [
  { id: 'source', label: 'Source', View: EditorTab },
  { id: 'runs', label: 'Runs', View: RunsTab },
  { id: 'revisions', label: 'Revisions', View: RevisionsTab },
  { id: 'metrics', label: 'Metrics', View: MetricsTab },
  { id: 'variables', label: 'Variables', View: VariablesTab },
  { id: 'services', label: 'Services', View: ServicesTab },
  { id: 'log', label: 'Log', View: LogTab },
  { id: 'settings', label: 'Settings', View: SettingsTab },
];

import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import type { Problem } from '../../../data/api/errors.ts';
import { may } from '../../../data/api/session.ts';
import { into, type Task, useTask } from '../../../data/api/task.ts';
import { useActions } from '../../../data/navigation/actions.ts';
import { type Draft, hasChanges } from '../../../data/workflow/drafts.ts';
import type { Graph } from '../../../data/workflow/graph.ts';
import { linesOfState } from '../../../data/workflow/lines.ts';
import { type Reading, useReading } from '../../../data/workflow/reading.ts';
import { completeWorkflow } from '../../../data/workflow/schema.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Diagram } from '../../../parts/diagram/diagram.tsx';
import { Diff } from '../../../parts/diff/diff.tsx';
import { Editor } from '../../../parts/editor/editor.tsx';
import type { EditorHandle } from '../../../parts/editor/options.ts';
import { ErrorNote, NotLoaded, Skeleton } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { ProblemList } from './problem-list.tsx';
import type { TabProps } from './tab-props.ts';

/** The graph of the last valid text: while the text is invalid, the diagram stays. */
function useGraph(text: string): { readonly graph: Graph | undefined; readonly reading: Reading } {
  const reading = useReading();
  const last = useRef<Graph | undefined>(undefined);
  const graph = useMemo(() => {
    const read = reading.graphOf(text);
    if (read !== undefined && read.states.length > 0) last.current = read;
    return last.current;
  }, [text, reading.isLoaded]);
  return { graph, reading };
}

/** Stores by ctrl s, and asks before a page with changes is closed. */
function useGuards(store: () => void): void {
  const latest = useRef(store);
  latest.current = store;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      latest.current();
    };
    const leave = (event: BeforeUnloadEvent) => {
      if (hasChanges()) event.preventDefault();
    };
    window.addEventListener('keydown', press);
    window.addEventListener('beforeunload', leave);
    return () => {
      window.removeEventListener('keydown', press);
      window.removeEventListener('beforeunload', leave);
    };
  }, []);
}

interface ToolsProps {
  readonly draft: Draft;
  readonly task: Task;
  readonly isComparing: boolean;
  readonly onCompare: () => void;
  readonly onStore: () => void;
}

const isError = ({ severity = 'error' }: Problem): boolean => severity === 'error';

/** The numbers of problems, and of warnings and hints, with which a text can be stored. */
function countWords(problems: readonly Problem[]): string {
  const counts = [
    { count: problems.filter(isError).length, noun: 'problem' },
    { count: problems.filter(({ severity }) => severity === 'warning').length, noun: 'warning' },
    { count: problems.filter(({ severity }) => severity === 'hint').length, noun: 'hint' },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return 'No problems';
  return counts.map(({ count, noun }) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(', ');
}

function stateWords({ isChanged, isChecking, problems, error }: Draft): string {
  if (error.value !== '') return `Not checked: ${error.value}`;
  const found = isChecking.value ? 'Checking' : countWords(problems.value);
  return isChanged.value ? `Not stored. ${found}` : found;
}

function Tools({ draft, task, isComparing, onCompare, onStore }: ToolsProps) {
  const isChanged = draft.isChanged.value;
  return (
    <div class="editor-tools">
      <span class={`grows cut${draft.problems.value.some(isError) ? ' wrong-words' : ' quiet'}`} role="status">
        {stateWords(draft)}
      </span>
      {isChanged && (
        <>
          <Button kind="bare" onClick={onCompare} attributes={{ 'aria-pressed': isComparing }}>
            {isComparing ? 'Back to the text' : 'Compare'}
          </Button>
          <Button kind="bare" onClick={draft.revert}>
            Revert
          </Button>
        </>
      )}
      {may('updateWorkflow') && (
        <Button
          kind={isChanged ? 'primary' : 'plain'}
          disabled={!isChanged}
          isBusy={task.isBusy.value}
          onClick={onStore}
        >
          Store
        </Button>
      )}
    </div>
  );
}

function Foreign({ draft }: { readonly draft: Draft }) {
  if (draft.foreign.value === undefined) return null;
  return (
    <div class="foreign" role="alert">
      <span class="grows">Another version was stored meanwhile. Storing yours replaces it.</span>
      <Button onClick={draft.revert}>Use that version</Button>
    </div>
  );
}

interface TextProps extends Omit<ToolsProps, 'onCompare'> {
  readonly name: string;
  readonly editor: { current: EditorHandle | undefined };
  readonly onCompare: () => void;
}

/** The text, or its changes, and the problems of the compiler below. */
function Text(props: TextProps) {
  const { draft, task, isComparing, name, editor } = props;
  const take = useCallback(
    (handle: EditorHandle) => {
      editor.current = handle;
    },
    [editor],
  );
  const error = task.error.value;
  const toProblem = ({ line, column }: Problem) => editor.current?.goTo(line, column);
  return (
    <div class="workflow-text">
      <Tools {...props} />
      <Foreign draft={draft} />
      {error?.problems.length === 0 && <ErrorNote title="The workflow was not stored" error={error} />}
      {isComparing ? (
        <Diff before={draft.foreign.value ?? draft.base.value} after={draft.text.value} label="Changes" />
      ) : (
        <Editor
          value={draft.text.value}
          language="yaml"
          label={`Source of ${name}`}
          isReadOnly={!may('updateWorkflow')}
          problems={draft.problems.value}
          complete={completeWorkflow}
          onChange={draft.write}
          onOpen={take}
        />
      )}
      <ProblemList
        problems={draft.problems.value}
        onChoose={toProblem}
        onMend={may('updateWorkflow') && !isComparing ? (mend) => editor.current?.mend(mend) : undefined}
      />
    </div>
  );
}

/** The source of a workflow with its problems, and its diagram beside it. */
export function EditorTab({ draft, workflow }: TabProps) {
  const task = useTask();
  const isWanted = useSignal(false);
  const editor = useRef<EditorHandle | undefined>(undefined);
  const { graph, reading } = useGraph(draft.text.value);
  const store = async () => {
    if (!draft.isChanged.peek()) return;
    if (await task.run(draft.store)) say('Stored as the latest revision');
  };
  useGuards(store);
  useActions(() => {
    const offered = [{ id: 'store', label: 'Store the workflow (ctrl s)', run: store }];
    return may('updateWorkflow') ? offered : [];
  }, [draft]);
  const toState = (id: string) => editor.current?.goTo(linesOfState(draft.text.peek(), id)?.from ?? 1, 1);
  const isComparing = isWanted.value && draft.isChanged.value;
  return (
    <div class="workflow-source">
      <Text
        {...{ draft, task, isComparing, editor }}
        name={workflow.node.name}
        onCompare={() => into(isWanted)(!isComparing)}
        onStore={store}
      />
      <div class="workflow-diagram">
        {reading.error !== undefined && <NotLoaded error={reading.error} />}
        {!reading.isLoaded && reading.error === undefined && <Skeleton />}
        {graph !== undefined && <Diagram graph={graph} label="States of the workflow" onChoose={toState} />}
      </div>
    </div>
  );
}

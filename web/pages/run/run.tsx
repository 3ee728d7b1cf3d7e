import { useMemo } from 'preact/hooks';
import type { InstanceReply } from '../../../clients/api/operations.ts';
import type { ApiError } from '../../data/api/errors.ts';
import { type GrowingLog, useGrowingLog } from '../../data/api/growing-log.ts';
import { useLive, useLoad, usePolled } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { textOfBase64 } from '../../data/format/text.ts';
import { instantOf } from '../../data/format/time.ts';
import { useActions } from '../../data/navigation/actions.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import { endOf, type Step, StepReader } from '../../data/runs/steps.ts';
import { useTimeline } from '../../data/runs/timeline.ts';
import type { Graph } from '../../data/workflow/graph.ts';
import { useReading } from '../../data/workflow/reading.ts';
import { Diagram } from '../../parts/diagram/diagram.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Timeline } from '../../parts/timeline/timeline.tsx';
import { useChildRuns } from './child-runs.ts';
import { RunHead } from './head.tsx';
import { RunInspector } from './inspector.tsx';
import type { Queue } from './queued.tsx';
import { Reason } from './reason.tsx';
import { RepeatPanel } from './repeat-panel.tsx';
import { type CancelOn, isForOutside, type Wait } from './waiting.tsx';
import { wayOf } from './way.ts';

/** The source of the revision that ran. */
function useSource(namespace: string, workflow: InstanceReply['workflow'] | undefined) {
  const path = workflow && { namespace, node: workflow.path };
  const { value, error } = useLoad('getNode', path, { ref: workflow?.revision });
  const reply = value.value;
  const encoded = reply !== undefined && 'revision' in reply ? reply.revision.source : undefined;
  const source = useMemo(() => (encoded === undefined ? undefined : textOfBase64(encoded)), [encoded]);
  const reading = useReading();
  const graph = useMemo(() => (source === undefined ? undefined : reading.graphOf(source)), [source, reading.isLoaded]);
  return { source, graph, error: error.value ?? reading.error };
}

/** The steps of the run from its log. */
function useSteps(log: Pick<GrowingLog, 'lines'>, instance: InstanceReply['instance'] | undefined): readonly Step[] {
  const lines = log.lines.value;
  const end = instance !== undefined && isOver(instance) ? instantOf(instance.updatedAt) : undefined;
  return useMemo(() => {
    const reader = new StepReader();
    reader.read(lines);
    return reader.steps(end);
  }, [lines, end]);
}

function chosenStep(steps: readonly Step[]): Step | undefined {
  const number = Number(place.value.query.get('step'));
  return steps.find((step) => step.number === number);
}

/** The tab stays, or is the log: the output of the run would say nothing about a step. */
const choose = (number: number | undefined): void =>
  setQuery({
    step: number === undefined ? undefined : String(number),
    tab: place.value.query.get('tab') ?? 'log',
  });

/** Selects the previous and the next step by `[` and `]`. */
function useStepKeys(steps: readonly Step[], step: Step | undefined): void {
  useActions(() => {
    const index = step === undefined ? -1 : steps.indexOf(step);
    const to = (next: number) => () => choose(steps[Math.max(0, Math.min(steps.length - 1, next))]?.number);
    return [
      { id: 'next step', label: 'Next step', keys: ']', run: to(index + 1) },
      { id: 'step before', label: 'Step before', keys: '[', run: to(index < 0 ? steps.length - 1 : index - 1) },
      { id: 'all steps', label: 'All steps', run: () => choose(undefined) },
      { id: 'tab log', label: 'Show the log', run: () => setQuery({ tab: 'log' }) },
      { id: 'tab step', label: 'Show the chosen step', run: () => setQuery({ tab: 'step' }) },
      { id: 'tab data', label: 'Show output and input', run: () => setQuery({ tab: 'data' }) },
      { id: 'tab source', label: 'Show the source', run: () => setQuery({ tab: 'source' }) },
    ];
  }, [steps, step]);
}

const NO_EDGES: Graph['edges'] = [];

interface LoadedProps {
  readonly namespace: string;
  readonly reply: InstanceReply;
  readonly log: Pick<GrowingLog, 'lines' | 'error'>;
  readonly wait: Wait | undefined;
  readonly cancelOn: CancelOn | undefined;
  readonly queue: Queue | undefined;
  readonly state: Parameters<typeof RunHead>[0]['state'];
}

interface PathProps {
  readonly namespace: string;
  readonly graph: Graph | undefined;
  readonly error: ApiError | undefined;
  readonly way: ReturnType<typeof wayOf>;
  readonly steps: readonly Step[];
  readonly step: Step | undefined;
  readonly instance: InstanceReply['instance'];
}

/** The diagram with the path of the run, and its steps over time. */
function Path({ namespace, graph, error, way, steps, step, instance }: PathProps) {
  const childRuns = useChildRuns(namespace, instance, steps);
  const chooseState = (id: string) => choose(steps.findLast((one) => one.state === id)?.number);
  return (
    <div class="run-left">
      {graph === undefined ? (
        <div class="run-no-diagram">{error === undefined ? <Skeleton /> : <p class="quiet">{error.message}</p>}</div>
      ) : (
        <Diagram
          graph={graph}
          label="States and the way of the run"
          way={way}
          chosen={step?.state}
          onChoose={chooseState}
        />
      )}
      <Timeline
        steps={steps}
        from={instantOf(instance.createdAt)}
        to={isOver(instance) ? instantOf(instance.updatedAt) : undefined}
        chosen={step?.number}
        onChoose={(number) => choose(number === step?.number ? undefined : number)}
        childRuns={childRuns}
      />
    </div>
  );
}

function Loaded({ namespace, reply, log, wait, cancelOn, queue, state }: LoadedProps) {
  const { instance, workflow } = reply;
  const { source, graph, error } = useSource(namespace, workflow);
  const steps = useSteps(log, instance);
  const step = chosenStep(steps);
  useStepKeys(steps, step);
  const isWaiting = isForOutside(wait) && !isOver(instance);
  const timeline = useTimeline(namespace, instance.id, `${isOver(instance)} ${step?.number}`);
  const repeat = place.value.query.get('repeat');
  // It stays when the run ends while the page is open: the reader may be in the log.
  const firstTab = useMemo(() => (statusOf(instance) === 'complete' ? 'data' : 'log'), []);
  const status = statusOf(instance, isWaiting);
  // The flow is read before the log: without steps, the newest state is the best answer.
  const end = isOver(instance) && status !== 'complete' ? endOf(steps) : undefined;
  const last = end?.state ?? reply.flow.at(-1);
  const edges = graph?.edges ?? NO_EDGES;
  const way = useMemo(() => wayOf(reply, edges, { isWaiting, current: last }), [reply, edges, isWaiting, last]);
  return (
    <>
      <RunHead {...{ namespace, reply, status, state, timeline }} />
      <Reason
        {...{ namespace, instance, wait, cancelOn, queue, state: last }}
        step={timeline?.steps.findLast(({ state: id }) => id === last)?.n}
      />
      <div class="run">
        <Path {...{ namespace, graph, error, way, steps, step, instance }} />
        <RunInspector
          {...{ namespace, reply, log, step, source, timeline }}
          sourceError={error}
          state={step?.state ?? last}
          tab={place.value.query.get('tab') ?? (step === undefined ? firstTab : 'log')}
          onAllSteps={() => choose(undefined)}
        />
      </div>
      {repeat !== null && isOver(instance) && may('rerunInstance') && (
        <RepeatPanel {...{ namespace, reply, timeline }} from={repeat} />
      )}
    </>
  );
}

/** The wait of a run in progress, the event that cancels it, and its place in a queue. */
function useWait(
  namespace: string,
  reply: InstanceReply | undefined,
): Pick<LoadedProps, 'wait' | 'cancelOn' | 'queue'> {
  const isOpen = reply !== undefined && !isOver(reply.instance);
  const path = isOpen ? { namespace, instance: reply.instance.id } : undefined;
  const waiting = usePolled('getInstanceWaiting', path, undefined, reply?.flow.length);
  const { waiting: wait, cancelOn, concurrency, held } = waiting.value.value ?? {};
  return { wait, cancelOn, queue: concurrency ?? held };
}

/** One run: the reason of its status, its path through the states, its steps in time, and their details. */
export function RunPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '', id = '' } = params;
  const { value, error, state } = useLive('getInstance', { namespace, instance: id });
  const log = useGrowingLog('getInstanceLogs', { namespace, instance: id });
  const reply = value.value;
  const wait = useWait(namespace, reply);
  if (error.value !== undefined) {
    if (error.value.status !== 404) return <ErrorNote title="The run cannot be shown" error={error.value} />;
    return (
      <Empty icon="runs" title="No such run">
        <p>{error.value.message}: the id was mistyped, or the run was deleted when its time was over.</p>
      </Empty>
    );
  }
  if (reply === undefined) return <Skeleton lines={6} />;
  return (
    <div class="page">
      <Loaded key={id} {...{ namespace, reply, log }} {...wait} state={state.value} />
    </div>
  );
}

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useTask } from '../../data/api/task.ts';
import { actionOf, type BulkKind, type BulkOrder, type BulkPlan } from '../../data/bulk/actions.ts';
import { commandOf } from '../../data/bulk/command.ts';
import { type BulkJob, begin, forget, jobFor, progressText } from '../../data/bulk/jobs.ts';
import { count } from '../../data/format/text.ts';
import type { RunFilters } from '../../data/runs/filters.ts';
import { Button } from '../../parts/button/button.tsx';
import { SelectField } from '../../parts/field/field.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { RunLink } from '../../parts/value/links.tsx';
import { CopyButton } from '../../parts/value/value.tsx';

interface Words {
  readonly title: string;
  readonly about: string;
  readonly act: string;
}

const WORDS: Readonly<Record<BulkKind, Words>> = {
  cancel: {
    title: 'Cancel runs',
    about: 'Ends these runs and the child runs that they wait for. What they have done stays done.',
    act: 'Cancel',
  },
  rerun: {
    title: 'Run again',
    about:
      'Starts a new run for each of these, with the same input, the oldest first. What the first runs did outside may happen again. Runs that were repeated already, and subflows, are skipped.',
    act: 'Start',
  },
};

interface PlanProps {
  readonly namespace: string;
  readonly plan: BulkPlan;
}

/** The runs of a plan, with the reasons why some are skipped. */
function Plan({ namespace, plan }: PlanProps) {
  const { total, rows } = plan;
  const skipped = rows.filter((row) => row.skipped !== undefined).length;
  return (
    <section class="data-part" aria-label="Runs">
      <h2 class="minor">
        {count(total, 'run')}
        {skipped > 0 && `, ${skipped} skipped`}
      </h2>
      <ul>
        {rows.map(({ id, skipped: reason }) => (
          <li class="line" key={id}>
            <RunLink namespace={namespace} id={id} />
            {reason !== undefined && <span class="quiet cut">skipped: {reason}</span>}
          </li>
        ))}
      </ul>
      {total > rows.length && <p class="quiet">The first {rows.length} are listed.</p>}
    </section>
  );
}

interface ActProps {
  readonly order: BulkOrder;
  readonly plan: BulkPlan;
}

/** The button that starts the action. */
function Act({ order, plan }: ActProps) {
  const { kind } = order;
  const planned = plan.total - plan.rows.filter((row) => row.skipped !== undefined).length;
  return (
    <div class="line">
      <Button
        kind={kind === 'cancel' ? 'danger' : 'primary'}
        icon={kind === 'cancel' ? 'stop' : 'retry'}
        disabled={planned === 0}
        onClick={() => begin(order, plan)}
      >
        {WORDS[kind].act} {count(planned, 'run')}
      </Button>
    </div>
  );
}

interface OutsideProps {
  readonly order: BulkOrder;
  readonly plan: Pick<BulkPlan, 'at'>;
}

/** The command of the command line with the same effect. */
function Outside({ order, plan }: OutsideProps) {
  const line = useMemo(() => commandOf(order, plan, Date.now()), [JSON.stringify(order), plan.at]);
  return (
    <section class="data-part" aria-label="Without a browser">
      <h2 class="minor">Without a browser</h2>
      <p>In a terminal, the same job begins by this command.</p>
      {line === undefined ? (
        <p class="quiet">The command line selects one workflow by its whole path, which begins with a slash.</p>
      ) : (
        <p class="line">
          <code class="command grows">{line}</code>
          <CopyButton text={line} label="Copy the command" />
        </p>
      )}
    </section>
  );
}

/** The progress of the action, which continues when this panel is closed. */
function Progress({ job }: { readonly job: BulkJob }) {
  const { error, state, progress } = job;
  const { waitsFor } = progress.value;
  return (
    <>
      {error.value && <ErrorNote title="It has stopped" error={error.value} onRetry={() => void job.run()} />}
      <p role="status">{progressText(job)}</p>
      {waitsFor !== undefined && <Remark icon="wait">It goes on by itself; it waits: {waitsFor}</Remark>}
      {state.value === 'running' ? (
        <>
          <Remark>
            The service does the work: it goes on when this panel or this tab is closed. The line above the pages shows
            how far it is.
          </Remark>
          <div class="line">
            <Button icon="stop" onClick={() => job.stop()}>
              Stop
            </Button>
          </div>
        </>
      ) : (
        <div class="line">
          <Button icon="retry" onClick={() => forget(job)}>
            Look again
          </Button>
        </div>
      )}
    </>
  );
}

const REVISIONS = [
  { value: 'pinned', label: 'The revisions that ran' },
  { value: 'latest', label: 'The latest revisions' },
];

interface BulkPanelProps {
  readonly namespace: string;
  readonly kind: BulkKind;
  readonly filters: RunFilters;
  readonly onClose: () => void;
}

/** Lists the runs of an action without a change. */
function usePlan(order: BulkOrder) {
  const plan = useSignal<BulkPlan | undefined>(undefined);
  const task = useTask();
  const look = () =>
    task.run(async () => {
      plan.value = undefined;
      plan.value = await actionOf(order).plan();
    });
  useEffect(() => void look(), [JSON.stringify(order)]);
  return { plan: plan.value, error: task.error.value, look };
}

function Planning({ order }: { readonly order: BulkOrder }) {
  const { plan, error, look } = usePlan(order);
  if (error !== undefined)
    return <ErrorNote title="The runs cannot be listed; nothing was changed" error={error} onRetry={look} />;
  if (plan === undefined) return <Skeleton lines={6} />;
  return (
    <>
      <Act order={order} plan={plan} />
      {plan.total > 0 && <Outside order={order} plan={plan} />}
      <Plan namespace={order.namespace} plan={plan} />
    </>
  );
}

/** An action on all runs of a list: it lists its runs first, and starts when it is confirmed. */
export function BulkPanel({ namespace, kind, filters, onClose }: BulkPanelProps) {
  const { title, about } = WORDS[kind];
  const revision = useSignal<'pinned' | 'latest'>('pinned');
  const order = { namespace, kind, filters, revision: revision.value };
  const job = jobFor(order);
  return (
    <Inspector title={title} label={title} onClose={onClose}>
      <div class="stack">
        {kind === 'rerun' && job === undefined && (
          <SelectField
            label="Revision"
            value={revision.value}
            choices={REVISIONS}
            onChange={(value) => {
              revision.value = value === 'latest' ? 'latest' : 'pinned';
            }}
          />
        )}
        <Remark>{about}</Remark>
        {job === undefined ? <Planning order={order} /> : <Progress job={job} />}
      </div>
    </Inspector>
  );
}

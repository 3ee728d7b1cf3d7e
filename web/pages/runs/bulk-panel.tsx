import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Task, useTask } from '../../data/api/task.ts';
import { count } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { type BulkAction, type BulkPlan, type BulkProgress, cancelAction, rerunAction } from '../../data/runs/bulk.ts';
import type { RunFilters } from '../../data/runs/filters.ts';
import { Button } from '../../parts/button/button.tsx';
import { SelectField } from '../../parts/field/field.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { Id } from '../../parts/value/value.tsx';

/** What is done to the runs of a list. */
export type BulkKind = 'cancel' | 'rerun';

interface Words {
  readonly title: string;
  readonly about: string;
  readonly act: string;
  readonly did: string;
}

const WORDS: Readonly<Record<BulkKind, Words>> = {
  cancel: {
    title: 'Cancel runs',
    about: 'Ends these runs and the child runs that they wait for. What they have done stays done.',
    act: 'Cancel',
    did: 'cancelled',
  },
  rerun: {
    title: 'Run again',
    about:
      'Starts a new run for each of these, with the same input, the oldest first. What the first runs did outside may happen again. Runs that were repeated already, and subflows, are skipped.',
    act: 'Start',
    did: 'started',
  },
};

interface PlanProps {
  readonly namespace: string;
  readonly plan: BulkPlan;
}

/** The runs that the action is for, and why it skips some of them. Nothing was changed yet. */
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
            <Id id={id} of="the run’s id" href={addresses.run(namespace, id)} />
            {reason !== undefined && <span class="quiet cut">skipped: {reason}</span>}
          </li>
        ))}
      </ul>
      {total > rows.length && <p class="quiet">The first {rows.length} are listed.</p>}
    </section>
  );
}

interface ActProps {
  readonly kind: BulkKind;
  readonly action: BulkAction;
  readonly plan: BulkPlan;
  readonly task: Task;
  readonly progress: Signal<BulkProgress | undefined>;
}

function Act({ kind, action, plan, task, progress }: ActProps) {
  const { act, did } = WORDS[kind];
  const isStopped = useRef(false);
  // A panel that is closed ends the work after the request that is under way.
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const start = () =>
    task.run(() =>
      action.run(
        plan,
        (now) => {
          progress.value = now;
        },
        () => isStopped.current,
      ),
    );
  const planned = plan.total - plan.rows.filter((row) => row.skipped !== undefined).length;
  const { done, skipped } = progress.value ?? { done: 0, skipped: 0 };
  const isOver = progress.value !== undefined && !task.isBusy.value;
  return (
    <>
      {task.error.value && (
        <ErrorNote title={`Stopped after ${count(done, 'run')}`} error={task.error.value} onRetry={start} />
      )}
      <p role="status" class="quiet">
        {progress.value !== undefined &&
          `${count(done, 'run')} ${did}${skipped > 0 ? `, ${skipped} skipped` : ''}${isOver ? '.' : ' …'}`}
      </p>
      {!isOver && (
        <div class="line">
          <Button
            kind={kind === 'cancel' ? 'danger' : 'primary'}
            icon={kind === 'cancel' ? 'stop' : 'retry'}
            isBusy={task.isBusy.value}
            disabled={planned === 0}
            onClick={start}
          >
            {act} {count(planned, 'run')}
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

/** An action on all runs of a list: it shows first which runs it is for, and changes nothing until it is confirmed. */
export function BulkPanel({ namespace, kind, filters, onClose }: BulkPanelProps) {
  const { title, about } = WORDS[kind];
  const revision = useSignal<'pinned' | 'latest'>('pinned');
  const plan = useSignal<BulkPlan | undefined>(undefined);
  const progress = useSignal<BulkProgress | undefined>(undefined);
  const [planning, task] = [useTask(), useTask()];
  const chosen = revision.value;
  const action = useMemo(
    () => (kind === 'cancel' ? cancelAction(namespace, filters) : rerunAction(namespace, filters, chosen)),
    [namespace, kind, chosen],
  );
  const look = () =>
    planning.run(async () => {
      plan.value = undefined;
      plan.value = await action.plan();
    });
  useEffect(() => void look(), [action]);
  return (
    <Inspector title={title} label={title} onClose={onClose}>
      <div class="stack">
        {kind === 'rerun' && (
          <SelectField
            label="Revision"
            value={chosen}
            choices={REVISIONS}
            onChange={(value) => {
              revision.value = value === 'latest' ? 'latest' : 'pinned';
            }}
          />
        )}
        <Remark>{about}</Remark>
        {planning.error.value && (
          <ErrorNote
            title="The runs cannot be listed; nothing was changed"
            error={planning.error.value}
            onRetry={look}
          />
        )}
        {plan.value === undefined && !planning.error.value && <Skeleton lines={6} />}
        {plan.value !== undefined && (
          <>
            <Act {...{ kind, action, task, progress }} plan={plan.value} />
            <Plan namespace={namespace} plan={plan.value} />
          </>
        )}
      </div>
    </Inspector>
  );
}

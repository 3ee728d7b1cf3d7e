import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { InstanceRecord } from '../../../clients/api/operations.ts';
import { every } from '../../data/api/asking.ts';
import { filterQuery } from '../../data/api/client.ts';
import { useLoad } from '../../data/api/live.ts';
import { count } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import { Button } from '../../parts/button/button.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { StatusMark } from '../../parts/status/status.tsx';
import { Duration } from '../../parts/value/value.tsx';

const MOST = 200;
const AGAIN_MS = 3000;

interface RunProps {
  readonly namespace: string;
  readonly run: InstanceRecord;
}

function RunWords({ namespace, run }: RunProps) {
  return (
    <>
      <StatusMark status={statusOf(run)} />
      <a class="cut link" href={addresses.run(namespace, run.id)}>
        {run.as}
      </a>
      <span class="quiet grows cut">{run.errorCode}</span>
      <Duration from={run.createdAt} to={isOver(run) ? run.updatedAt : undefined} />
    </>
  );
}

interface ChildrenProps {
  readonly namespace: string;
  readonly id: string;
  /** The list cannot change any more. */
  readonly isOver: boolean;
}

/** The child runs of a run as a tree. */
function Children({ namespace, id, isOver: isSettled }: ChildrenProps) {
  const filters = [{ field: 'TRIGGER', type: 'MATCH', val: `instance:${id}` }];
  const loaded = useLoad('listInstances', { namespace }, { ...filterQuery(filters), limit: MOST });
  const wasOpen = useRef(!isSettled);
  useEffect(() => {
    if (!isSettled) return every(AGAIN_MS, () => loaded.reload());
    // One more request after the end of the run, for the last child runs.
    if (wasOpen.current) loaded.reload();
    return undefined;
  }, [loaded, isSettled]);
  const list = loaded.value.value?.instances;
  const error = loaded.error.value;
  if (error !== undefined) return <ErrorNote title="The child runs cannot be listed" error={error} />;
  if (list === undefined) return <Skeleton lines={2} />;
  const { results, pageInfo } = list;
  if (results.length === 0) return <p class="quiet">None. A function of the type subflow starts a child run.</p>;
  return (
    <>
      <p class="line wraps">
        <span class="quiet grows">
          {count(pageInfo.total, 'child run')}
          {pageInfo.total > results.length && `, the newest ${results.length} below`}
        </span>
        <a class="link" href={addresses.runs(namespace, { trigger: `instance:${id}` })}>
          In the list of runs
        </a>
      </p>
      <ul class="children">
        {results.map((run) => (
          <Child key={run.id} namespace={namespace} run={run} />
        ))}
      </ul>
    </>
  );
}

function Child({ namespace, run }: RunProps) {
  const isOpen = useSignal(false);
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  const label = `${isOpen.value ? 'Fold' : 'Show'} the children of ${run.as}`;
  return (
    <li>
      <div class="child">
        <Button
          kind="bare"
          icon={isOpen.value ? 'down' : 'right'}
          label={label}
          attributes={{ 'aria-expanded': isOpen.value }}
          onClick={toggle}
        />
        <RunWords namespace={namespace} run={run} />
      </div>
      {isOpen.value && <Children namespace={namespace} id={run.id} isOver={isOver(run)} />}
    </li>
  );
}

/** A run and, above it, its ancestors. */
function Ancestors({ namespace, id }: { readonly namespace: string; readonly id: string }) {
  const { value, error } = useLoad('getInstance', { namespace, instance: id });
  const reply = value.value;
  if (error.value !== undefined) return <p class="quiet">The parent is gone: {error.value.message}</p>;
  if (reply === undefined) return <Skeleton lines={1} />;
  return (
    <>
      {reply.invokedBy !== '' && <Ancestors namespace={namespace} id={reply.invokedBy} />}
      <div class="child">
        <RunWords namespace={namespace} run={reply.instance} />
      </div>
    </>
  );
}

interface FamilyProps extends ChildrenProps {
  readonly invokedBy: string;
}

/** The ancestors of a run, and its child runs as a tree. */
export function FamilyTab({ namespace, id, invokedBy, isOver: isSettled }: FamilyProps) {
  return (
    <div class="tab-body">
      {invokedBy !== '' && (
        <section class="data-part" aria-label="Parents">
          <h2 class="minor">Parents, the first one above</h2>
          <Ancestors namespace={namespace} id={invokedBy} />
        </section>
      )}
      <section class="data-part" aria-label="Children">
        <h2 class="minor">Children</h2>
        <Children namespace={namespace} id={id} isOver={isSettled} />
      </section>
    </div>
  );
}

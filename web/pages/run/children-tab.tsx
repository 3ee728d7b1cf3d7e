import { filterQuery } from '../../data/api/client.ts';
import { useLoad } from '../../data/api/live.ts';
import type { InstanceRecord } from '../../data/api/operations.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { StatusMark } from '../../parts/status/status.tsx';
import { Duration, Id, Time } from '../../parts/value/value.tsx';

const MOST = 200;

function Run({ namespace, run }: { readonly namespace: string; readonly run: InstanceRecord }) {
  return (
    <li class="child">
      <StatusMark status={statusOf(run)} />
      <a class="cut link" href={addresses.run(namespace, run.id)}>
        {run.as}
      </a>
      <span class="quiet grows cut">{run.errorCode}</span>
      <Duration from={run.createdAt} to={isOver(run) ? run.updatedAt : undefined} />
    </li>
  );
}

interface FamilyProps {
  readonly namespace: string;
  readonly id: string;
  readonly invokedBy: string;
  /** Changes when children may have come or ended. */
  readonly version: number;
}

/** The run that started this one, and those that it started. */
export function FamilyTab({ namespace, id, invokedBy, version }: FamilyProps) {
  const filters = [{ field: 'TRIGGER', type: 'MATCH', val: `instance:${id}` }];
  // The offset does nothing but make another request of each version.
  const { value, error } = useLoad(
    'listInstances',
    { namespace },
    { ...filterQuery(filters), limit: MOST + (version % 2) },
  );
  const children = value.value?.instances.results;
  const total = value.value?.instances.pageInfo.total ?? 0;
  return (
    <div class="tab-body">
      {invokedBy !== '' && (
        <section class="data-part" aria-label="Parent">
          <h2 class="minor">Parent</h2>
          <Id id={invokedBy} of="the parent’s id" href={addresses.run(namespace, invokedBy)} />
        </section>
      )}
      <section class="data-part" aria-label="Children">
        <h2 class="minor">Children</h2>
        {error.value && <ErrorNote title="The child runs cannot be listed" error={error.value} />}
        {children === undefined && !error.value && <Skeleton />}
        {children?.length === 0 && <p class="quiet">None. A function of the type subflow starts a child run.</p>}
        <ul>
          {children?.map((run) => (
            <Run key={run.id} namespace={namespace} run={run} />
          ))}
        </ul>
        {children !== undefined && total > children.length && (
          <a class="link" href={addresses.runs(namespace, { trigger: `instance:${id}` })}>
            All {total.toLocaleString('en-US')} children
          </a>
        )}
        {children !== undefined && children.length > 0 && (
          <p class="quiet">
            The newest <Time at={children[0]?.createdAt ?? ''} />
          </p>
        )}
      </section>
    </div>
  );
}

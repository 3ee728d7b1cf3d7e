import type { BulkKind } from '../data/bulk/actions.ts';
import { type BulkJob, forget, jobs, progressText } from '../data/bulk/jobs.ts';
import { addresses } from '../data/navigation/addresses.ts';
import { Button } from '../parts/button/button.tsx';

const WORDS: Readonly<Record<BulkKind, string>> = { cancel: 'Cancel runs', rerun: 'Run again' };

function JobRow({ job }: { readonly job: BulkJob }) {
  const { order, planned, progress, state, error } = job;
  const { namespace, kind, filters } = order;
  const isRunning = state.value === 'running';
  const { done, skipped, waitsFor } = progress.value;
  return (
    <li class={`job${state.value === 'failed' ? ' wrong' : ''}`}>
      <a class="link" href={addresses.runs(namespace, { ...filters, bulk: kind })}>
        {WORDS[kind]} in {namespace}
      </a>
      <progress max={Math.max(planned, 1)} value={done + skipped} aria-label={`${WORDS[kind]} in ${namespace}`} />
      {state.value === 'failed' && (
        <Button kind="bare" icon="retry" onClick={() => void job.run()}>
          Go on
        </Button>
      )}
      {isRunning ? (
        <Button kind="bare" icon="stop" onClick={() => job.stop()}>
          Stop
        </Button>
      ) : (
        <Button kind="bare" icon="close" label="Take off the list" onClick={() => forget(job)} />
      )}
      <span class="grows cut" role="status">
        {progressText(job)} {error.value?.message ?? waitsFor}
      </span>
    </li>
  );
}

/** The actions on many runs that are in progress. */
export function Jobs() {
  if (jobs.value.length === 0) return null;
  return (
    <section class="jobs" aria-label="Actions on many runs">
      <ul aria-label="Under way">
        {jobs.value.map((job) => (
          <JobRow key={`${job.order.namespace} ${job.order.kind} ${JSON.stringify(job.order.filters)}`} job={job} />
        ))}
      </ul>
    </section>
  );
}

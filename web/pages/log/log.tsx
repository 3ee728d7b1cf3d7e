import { useGrowingLog } from '../../data/api/growing-log.ts';
import { Head } from '../../parts/head/head.tsx';
import { LiveMark } from '../../parts/live/live.tsx';
import { Log } from '../../parts/log/log.tsx';
import { ErrorNote } from '../../parts/note/note.tsx';

/** The log of a namespace. */
export function LogPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const { lines, state, error } = useGrowingLog('getNamespaceLogs', { namespace });
  return (
    <div class="page">
      <Head title="Log" name={`Log of ${namespace}`} detail={<LiveMark state={state.value} />} />
      {error.value ? (
        <ErrorNote title="The log cannot be shown" error={error.value} />
      ) : (
        <Log lines={lines.value} label="Log" hasWorkflows />
      )}
    </div>
  );
}

import type { ApiError } from '../../data/api/errors.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { linesOfState } from '../../data/workflow/lines.ts';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Source } from '../../parts/source/source.tsx';

interface SourceTabProps {
  readonly namespace: string;
  readonly path: string;
  readonly source: string | undefined;
  readonly error: ApiError | undefined;
  /** The state whose lines are marked. */
  readonly state: string | undefined;
  readonly hasFailed: boolean;
}

/** The source of the revision that ran, with the lines of one state marked. */
export function SourceTab({ namespace, path, source, error, state, hasFailed }: SourceTabProps) {
  if (error !== undefined) return <ErrorNote title="The source of this revision is gone" error={error} />;
  if (source === undefined) return <Skeleton lines={8} />;
  const marked = state === undefined ? undefined : linesOfState(source, state);
  return (
    <div class="source-tab">
      <p class="source-words quiet">
        The revision that ran.{' '}
        <a class="link" href={addresses.tree(namespace, path)}>
          Open the workflow
        </a>
      </p>
      <Source text={source} label="Source" marked={marked} isWrong={hasFailed} />
    </div>
  );
}

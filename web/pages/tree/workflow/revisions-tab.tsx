import { call } from '../../../data/api/client.ts';
import { useRead } from '../../../data/api/live.ts';
import { may } from '../../../data/api/session.ts';
import { type RevisionInfo, revisionsOf } from '../../../data/workflow/revisions.ts';
import { Confirm } from '../../../parts/confirm/confirm.tsx';
import { Section } from '../../../parts/head/head.tsx';
import { ErrorNote, Skeleton } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { RevisionRow } from './revision-row.tsx';
import type { TabProps } from './tab-props.ts';
import { TrafficSection } from './traffic.tsx';

interface LatestProps {
  readonly namespace: string;
  readonly path: string;
  readonly latest: RevisionInfo | undefined;
  readonly hasOthers: boolean;
  readonly onChange: () => void;
}

/** Buttons that save or discard the latest text. */
function LatestActions({ namespace, path, latest, hasOthers, onChange }: LatestProps) {
  if (latest === undefined || latest.isSaved || !may('saveWorkflow')) return null;
  const target = { namespace, node: path };
  const save = async () => {
    await call('saveWorkflow', target, { query: { ref: 'latest' } });
    say('The latest revision is kept');
    onChange();
  };
  const discard = async () => {
    await call('discardWorkflow', target, { query: { ref: 'latest' } });
    say('Back to the revision before');
    onChange();
  };
  return (
    <>
      <Confirm label="Keep the latest" act="Keep it" onConfirm={save}>
        Makes the latest text a revision that stays when the workflow is next stored.
      </Confirm>
      {hasOthers && (
        <Confirm label="Discard the latest" kind="danger" act="Discard it" onConfirm={discard}>
          The latest text was not kept as a revision: it is lost, and the revision before becomes the latest.
        </Confirm>
      )}
    </>
  );
}

/** The revisions of a workflow, their tags, and the division of starts among them. */
export function RevisionsTab({ namespace, workflow, router, draft }: TabProps) {
  const { path } = workflow.node;
  const read = () => revisionsOf(namespace, path);
  const { value, error, reload } = useRead(['revisions', namespace, path], read, workflow.revision.name);
  const list = value.value;
  if (error.value !== undefined)
    return <ErrorNote title="The revisions cannot be listed" error={error.value} onRetry={reload} />;
  if (list === undefined) return <Skeleton lines={4} />;
  const latest = list.find(({ tags }) => tags.includes('latest'));
  const actions = <LatestActions {...{ namespace, path, latest }} hasOthers={list.length > 1} onChange={reload} />;
  return (
    <div class="scroll">
      <Section title="Revisions" actions={actions}>
        <ul class="revisions">
          {list.map((revision) => (
            <RevisionRow
              key={revision.id}
              {...{ namespace, path, revision }}
              latestText={draft.base.value}
              isLatest={revision === latest}
              onChange={reload}
            />
          ))}
        </ul>
      </Section>
      <TrafficSection {...{ namespace, path, router }} refs={refsOf(list)} />
    </div>
  );
}

/** The tags and revisions among which starts can be divided. */
const refsOf = (list: readonly RevisionInfo[]): readonly string[] => [
  ...list.flatMap(({ tags }) => tags),
  ...list.filter(({ isSaved }) => isSaved).map(({ id }) => id),
];

import { useSignal } from '@preact/signals';
import { call } from '../../../data/api/client.ts';
import { useRead } from '../../../data/api/live.ts';
import { may } from '../../../data/api/session.ts';
import { into, useTask } from '../../../data/api/task.ts';
import type { RevisionInfo } from '../../../data/workflow/revisions.ts';
import { sourceOf } from '../../../data/workflow/tree.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Confirm } from '../../../parts/confirm/confirm.tsx';
import { Diff } from '../../../parts/diff/diff.tsx';
import { TextField } from '../../../parts/field/field.tsx';
import { Form } from '../../../parts/form/form.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { ErrorNote, Skeleton } from '../../../parts/note/note.tsx';
import { Source } from '../../../parts/source/source.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { Label } from '../../../parts/value/label.tsx';
import { Id, Time } from '../../../parts/value/value.tsx';

interface RevisionRowProps {
  readonly namespace: string;
  readonly path: string;
  readonly revision: RevisionInfo;
  readonly latestText: string;
  readonly isLatest: boolean;
  readonly onChange: () => void;
}

function Tag({ tag, props }: { readonly tag: string; readonly props: RevisionRowProps }) {
  const { namespace, path, onChange } = props;
  const remove = async () => {
    await call('untagRevision', { namespace, node: path }, { query: { ref: tag } });
    say(`Removed the tag ${tag}`);
    onChange();
  };
  const isFixed = tag === 'latest' || !may('untagRevision');
  return <Label text={tag} removal={`Remove the tag ${tag}`} onRemove={isFixed ? undefined : remove} />;
}

function TagForm({ props, onDone }: { readonly props: RevisionRowProps; readonly onDone: () => void }) {
  const { namespace, path, revision, onChange } = props;
  const tag = useSignal('');
  const task = useTask();
  const add = async () => {
    const query = { ref: revision.id };
    await call('tagRevision', { namespace, node: path }, { query, body: { tag: tag.value } });
    onDone();
    onChange();
  };
  return (
    <Form task={task} look="line" work={add} act="Tag" kind="plain">
      <TextField
        label="Tag"
        isCode
        isRequired
        hasFocus
        value={tag.value}
        error={task.error.value?.message}
        onInput={into(tag)}
      />
    </Form>
  );
}

function Actions({ props, onTag }: { readonly props: RevisionRowProps; readonly onTag: () => void }) {
  const { namespace, path, revision, isLatest, onChange } = props;
  const target = { namespace, node: path };
  const use = async () => {
    const body = await sourceOf(namespace, path, revision.id);
    await call('updateWorkflow', target, { body, type: 'text/yaml' });
    say('The text of the revision is the latest again');
    onChange();
  };
  const remove = async () => {
    await call('deleteRevision', target, { query: { ref: revision.id } });
    say('Deleted the revision');
    onChange();
  };
  if (!may('tagRevision')) return null;
  return (
    <>
      <Button kind="bare" icon="tag" label="Tag this revision" onClick={onTag} />
      {!isLatest && (
        <Confirm label="Use this text again" icon="history" kind="bare" isLone act="Use it" onConfirm={use}>
          Stores the text of this revision as the latest. The present latest stays only if it was kept.
        </Confirm>
      )}
      {revision.isSaved && revision.tags.length === 0 && (
        <Confirm label="Delete this revision" icon="trash" kind="bare" isLone act="Delete it" onConfirm={remove}>
          Deletes the revision. Runs that began with it go on.
        </Confirm>
      )}
    </>
  );
}

/** One revision; it opens to its text, or to the differences between it and the latest. */
export function RevisionRow(props: RevisionRowProps) {
  const { namespace, path, revision, isLatest, latestText } = props;
  const isOpen = useSignal(false);
  const isTagging = useSignal(false);
  const read = () => sourceOf(namespace, path, revision.id);
  const { value, error } = useRead(['source', namespace, path, revision.id], isOpen.value ? read : undefined);
  const text = value.value;
  return (
    <li class="revision">
      <div class="revision-line">
        <button
          type="button"
          class="revision-open"
          aria-expanded={isOpen.value}
          aria-label={`Revision ${revision.id}`}
          onClick={() => into(isOpen)(!isOpen.value)}
        >
          <Icon name={isOpen.value ? 'down' : 'right'} size={12} />
        </button>
        <Id id={revision.id} of="the revision" />
        <span class="line wraps grows">
          {revision.tags.map((tag) => (
            <Tag key={tag} tag={tag} props={props} />
          ))}
          {!revision.isSaved && <span class="quiet">not kept</span>}
        </span>
        <span class="quiet">
          <Time at={revision.createdAt} />
        </span>
        <Actions props={props} onTag={() => into(isTagging)(!isTagging.value)} />
      </div>
      {isTagging.value && <TagForm props={props} onDone={() => into(isTagging)(false)} />}
      {isOpen.value && error.value && <ErrorNote title="The revision cannot be shown" error={error.value} />}
      {isOpen.value && text === undefined && !error.value && <Skeleton />}
      {isOpen.value && text !== undefined && (
        <div class="revision-text">
          {isLatest || text === latestText ? (
            <Source text={text} label={`Source of revision ${revision.id}`} />
          ) : (
            <Diff before={text} after={latestText} label="From this revision to the latest" />
          )}
        </div>
      )}
    </li>
  );
}

import { useSignal } from '@preact/signals';
import type { InstanceReply, TimelineReply } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useEdit } from '../../data/api/edit.ts';
import { useLoad } from '../../data/api/live.ts';
import { into, useTask } from '../../data/api/task.ts';
import { prettyJson, readObject } from '../../data/format/json.ts';
import { textOfBase64 } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go, setQuery } from '../../data/navigation/location.ts';
import { patchOf } from '../../data/runs/patch.ts';
import { lastVisits } from '../../data/runs/timeline.ts';
import { Editor } from '../../parts/editor/editor.tsx';
import { SelectField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Remark, Skeleton } from '../../parts/note/note.tsx';
import { say } from '../../parts/toast/toast.tsx';

/** The value of `?repeat=` for a repetition from the first state. */
export const FROM_INPUT = '0';

interface RepeatPanelProps {
  readonly namespace: string;
  readonly reply: InstanceReply;
  readonly timeline: TimelineReply | undefined;
  /** The number of the step at which the new run begins; FROM_INPUT: the first state, with the input. */
  readonly from: string;
}

/** The data of the new run as text; undefined until it is read, null if it was not recorded. */
function useBeginning(
  namespace: string,
  id: string,
  from: string,
): { text: string | null | undefined; error?: string } {
  const isInput = from === FROM_INPUT;
  const input = useLoad('getInstanceInput', isInput ? { namespace, instance: id } : undefined);
  const step = useLoad('getInstanceStep', isInput ? undefined : { namespace, instance: id, step: from });
  const error = (isInput ? input : step).error.value?.message;
  if (error !== undefined) return { text: undefined, error };
  if (isInput) {
    const reply = input.value.value;
    return { text: reply && prettyJson(textOfBase64(reply.data) || '{}') };
  }
  const reply = step.value.value;
  if (reply === undefined) return { text: undefined };
  return { text: reply.in === undefined ? null : JSON.stringify(reply.in, null, 2) };
}

const REVISIONS = [
  { value: 'pinned', label: 'The revision that ran' },
  { value: 'latest', label: 'The latest revision' },
];

const close = (): void => setQuery({ repeat: undefined });

interface BeginningProps extends RepeatPanelProps {
  readonly state: string | undefined;
  readonly beginning: string;
}

function Beginning({ namespace, reply, state, beginning }: BeginningProps) {
  const { id } = reply.instance;
  const text = useEdit(beginning).value;
  const revision = useSignal('pinned');
  const task = useTask();
  const edited = readObject(text.value);
  const problem = 'problem' in edited ? edited.problem : undefined;
  const start = async () => {
    const before = readObject(beginning);
    const patch = 'value' in before && 'value' in edited ? patchOf(before.value, edited.value) : [];
    const query = { from: state, revision: revision.value };
    const started = await call('rerunInstance', { namespace, instance: id }, { query, body: { patch } });
    say('A new run was started');
    if (started.instance !== undefined) go(addresses.run(namespace, started.instance));
  };
  return (
    <Form
      task={task}
      work={start}
      act="Start"
      icon="play"
      isDisabled={problem !== undefined}
      failure="Nothing was started"
    >
      <SelectField label="Revision" value={revision.value} choices={REVISIONS} onChange={into(revision)} />
      <div class="stack">
        <h2 class="minor">{state === undefined ? 'Input' : `Data at the entry of ${state}`}</h2>
        <Editor isSmall language="json" label="Data of the new run" value={text.value} onChange={into(text)} />
        {problem !== undefined && <p class="field-note wrong">{problem}</p>}
      </div>
      <Remark>
        Starts a new run{state === undefined ? '' : ` from ${state}`} with the data above. What the first run did
        outside from there on may happen again. The first run stays as it is.
      </Remark>
    </Form>
  );
}

/** Repeats a run from its input or from a state, with edited data, with the old or the latest revision. */
export function RepeatPanel(props: RepeatPanelProps) {
  const { namespace, reply, timeline, from } = props;
  const beginning = useBeginning(namespace, reply.instance.id, from);
  const visits = lastVisits(timeline);
  const state = visits.find(({ n }) => String(n) === from)?.state;
  const choices = [
    { value: FROM_INPUT, label: 'The first state, with the input' },
    ...visits.map(({ n, state: id }) => ({ value: String(n), label: `${id} (step ${n})` })),
  ];
  return (
    <Inspector title="Run again" label="Run again" onClose={close}>
      <div class="stack">
        <SelectField
          label="Begin at"
          value={from}
          choices={choices}
          onChange={(value) => setQuery({ repeat: value })}
          hint="The last visit of each state; its data was recorded when the run entered it."
        />
        {beginning.error !== undefined && <Remark icon="warning">{beginning.error}</Remark>}
        {beginning.text === undefined && beginning.error === undefined && <Skeleton lines={6} />}
        {beginning.text === null && (
          <Remark icon="warning">
            The data at this state was not recorded: it was too large, or the namespace records only the flow. Begin at
            another state.
          </Remark>
        )}
        {typeof beginning.text === 'string' && (
          <Beginning key={from} {...props} state={state} beginning={beginning.text} />
        )}
      </div>
    </Inspector>
  );
}

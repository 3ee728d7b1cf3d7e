import { useSignal } from '@preact/signals';
import type { ApprovalReply } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into } from '../../data/api/task.ts';
import { readObject } from '../../data/format/json.ts';
import { times } from '../../data/format/text.ts';
import { fieldsOf } from '../../data/workflow/input-schema.ts';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { AreaField, TextField } from '../../parts/field/field.tsx';
import { SchemaForm } from '../../parts/form/schema-form.tsx';
import { ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { RunLink, WorkflowLink } from '../../parts/value/links.tsx';
import { Time } from '../../parts/value/value.tsx';

type Approval = ApprovalReply['approval'];

interface DecisionProps {
  readonly namespace: string;
  /** The waiting run. */
  readonly instance: string;
  readonly onDone: () => void;
}

function Facts({ namespace, approval }: { readonly namespace: string; readonly approval: Approval }) {
  const { instance, workflow, state, assignees, since, until, reminders, failures = [] } = approval;
  return (
    <dl class="facts">
      <dt>Who decides</dt>
      <dd>{assignees.join(', ') || 'anyone'}</dd>
      <dt>Asked</dt>
      <dd>
        <Time at={since} />
        {reminders > 0 && `, reminded ${times(reminders)}`}
      </dd>
      <dt>Ends without a decision</dt>
      <dd>
        <Time at={until} />
      </dd>
      {failures.length > 0 && (
        <>
          <dt>Not sent</dt>
          <dd>{failures.map(({ code, message }) => `${code}: ${message}`).join('; ')}</dd>
        </>
      )}
      <dt>Run</dt>
      <dd class="line">
        <RunLink namespace={namespace} id={instance} />
      </dd>
      <dt>State</dt>
      <dd>
        <code>{state}</code> of <WorkflowLink {...{ namespace, workflow }} />
      </dd>
    </dl>
  );
}

/** The values of the form. Throws for a text that is not an object. */
function formIn(text: string): Readonly<Record<string, unknown>> {
  const read = readObject(text);
  if ('problem' in read) throw new Error(`The form is ${read.problem}`);
  return read.value;
}

interface ChoiceButtonsProps {
  readonly namespace: string;
  readonly approval: Pick<Approval, 'instance' | 'subject' | 'choices'>;
  /** The name of the person and the values of the form. Throws for a form that is invalid. */
  readonly answer?: () => { readonly by: string; readonly form: Readonly<Record<string, unknown>> };
  readonly onDone: () => void;
}

/** A button for each choice. Without an answer, the name of the key decides. */
export function ChoiceButtons({ namespace, approval, answer, onDone }: ChoiceButtonsProps) {
  const { instance, subject, choices } = approval;
  const decide = (choice: string) => async () => {
    const body = { choice, ...(answer?.() ?? { by: '', form: {} }) };
    const reply = await call('decideApproval', { namespace, instance }, { body });
    say(`Decided ${choice} as ${reply.by}`);
    onDone();
  };
  return (
    <>
      {choices.map((choice) => (
        <Confirm key={choice} label={choice} act={`Decide ${choice}`} onConfirm={decide(choice)}>
          Decides <strong>{subject}</strong> as <code>{choice}</code>. The run goes on at once; this cannot be undone.
        </Confirm>
      ))}
    </>
  );
}

function Choices({ namespace, approval, onDone }: Omit<DecisionProps, 'instance'> & { readonly approval: Approval }) {
  const { form } = approval;
  const by = useSignal('');
  const values = useSignal('{}');
  const fields = fieldsOf(form);
  const answer = () => ({ by: by.value, form: formIn(values.value) });
  return (
    <>
      {fields !== undefined && <SchemaForm schema={fields} text={values.value} onChange={into(values)} />}
      {form !== undefined && fields === undefined && (
        <AreaField label="Form, as JSON" isCode rows={6} value={values.value} onInput={into(values)} />
      )}
      <TextField
        label="Your name"
        value={by.value}
        autocomplete="name"
        hint="It stands in the decision; the name of your key if it is left empty"
        onInput={into(by)}
      />
      <div class="line wraps">
        <ChoiceButtons {...{ namespace, approval, answer, onDone }} />
      </div>
    </>
  );
}

/** One approval: its question, its assignees, its deadline, and a button for each choice. */
export function Decision({ namespace, instance, onDone }: DecisionProps) {
  const { value, error } = useLoad('getApproval', { namespace, instance });
  const approval = value.value?.approval;
  if (error.value !== undefined) return <ErrorNote title="It cannot be decided" error={error.value} />;
  if (approval === undefined) return <Skeleton lines={5} />;
  return (
    <div class="stack">
      {approval.text !== '' && <p class="plain-text">{approval.text}</p>}
      <Facts namespace={namespace} approval={approval} />
      {may('decideApproval') ? (
        <Choices {...{ namespace, approval, onDone }} />
      ) : (
        <Remark>This key may not decide: it can only read.</Remark>
      )}
    </div>
  );
}

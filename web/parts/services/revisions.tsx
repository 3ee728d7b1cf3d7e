import { useSignal } from '@preact/signals';
import type { ServiceReply } from '../../../clients/api/operations.ts';
import { useEdit } from '../../data/api/edit.ts';
import { into, useTask } from '../../data/api/task.ts';
import type { ServiceActions } from '../../data/services/source.ts';
import { Confirm } from '../confirm/confirm.tsx';
import { RangeField } from '../field/field.tsx';
import { type Division, DivisionForm } from '../form/division.tsx';
import { Form } from '../form/form.tsx';
import { say } from '../toast/toast.tsx';
import { Time } from '../value/value.tsx';
import { bodyOf, ContainerFields, useContainerDraft } from './new-service.tsx';
import { StateWord } from './state.tsx';

type Revision = ServiceReply['revisions'][number];

interface RevisionsProps {
  readonly service: ServiceReply;
  readonly actions: ServiceActions;
  readonly onChange: () => void;
}

function Row({ service, actions, onChange, revision }: RevisionsProps & { readonly revision: Revision }) {
  const remove = async () => {
    await actions.removeRevision(service.name, revision.revision);
    say(`Deleted revision ${revision.revision}`);
    onChange();
  };
  return (
    <li class="service-revision">
      <code>{revision.revision}</code>
      <StateWord status={revision.status} conditions={revision.conditions} />
      <code class="grows cut" title={revision.image}>
        {revision.image}
      </code>
      <span class="quiet">
        <Time at={revision.created * 1000} />
      </span>
      <span class="service-traffic">{revision.traffic ?? 0} %</span>
      {actions.mayWrite && (revision.traffic ?? 0) === 0 && (
        <Confirm
          label={`Delete revision ${revision.revision}`}
          icon="trash"
          kind="bare"
          isLone
          act="Delete it"
          onConfirm={remove}
        >
          Deletes revision <code>{revision.revision}</code>, which gets no calls.
        </Confirm>
      )}
    </li>
  );
}

/** The present division; without one, a division to begin with. */
function divisionOf(revisions: readonly Revision[]): Division {
  const [one, two] = revisions.filter(({ traffic = 0 }) => traffic > 0);
  const first = one?.name ?? revisions[0]?.name ?? '';
  const second = two?.name ?? revisions.find(({ name }) => name !== first)?.name ?? '';
  return { first, second, share: one?.traffic ?? 100 };
}

function Traffic({ service, actions, onChange }: RevisionsProps) {
  const edit = useEdit(divisionOf(service.revisions), service);
  const task = useTask();
  const divide = async ({ first, second, share }: Division) => {
    const values = [
      { revision: first, percent: share },
      { revision: second, percent: 100 - share },
    ].filter(({ percent }) => percent > 0);
    await actions.setTraffic(service.name, { values });
    say('Calls are divided');
    onChange();
  };
  const choices = service.revisions.map(({ name }) => ({ value: name, label: name }));
  return (
    <div class="service-division">
      <DivisionForm {...{ edit, choices, task }} least={0} work={divide} act="Divide calls" />
    </div>
  );
}

/** The revisions of a service, the newest first, and how calls are divided among them. */
export function Revisions(props: RevisionsProps) {
  const { service, actions } = props;
  const revisions = service.revisions.toSorted((a, b) => b.generation - a.generation);
  return (
    <>
      <ul class="service-revisions">
        {revisions.map((revision) => (
          <Row key={revision.name} {...props} revision={revision} />
        ))}
      </ul>
      {actions.mayWrite && revisions.length > 1 && <Traffic {...props} />}
    </>
  );
}

/** A form for a new revision and its share of the calls. */
export function NewRevision({
  service,
  actions,
  onDone,
}: Omit<RevisionsProps, 'onChange'> & { readonly onDone: () => void }) {
  const draft = useContainerDraft(service.revisions.at(-1)?.image);
  const percent = useSignal(100);
  const task = useTask();
  const create = async () => {
    await actions.addRevision(service.name, { ...bodyOf(draft), trafficPercent: percent.value });
    say('The revision is being made ready');
    onDone();
  };
  return (
    <Form task={task} work={create} act="Create" failure="Nothing was created" onLeave={onDone}>
      <ContainerFields draft={draft} />
      <RangeField label={`Gets ${percent.value} % of the calls`} value={percent.value} onInput={into(percent)} />
    </Form>
  );
}

import { useSignal } from '@preact/signals';
import { call } from '../../data/api/client.ts';
import { useEdit } from '../../data/api/edit.ts';
import { useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { AreaField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { say } from '../../parts/toast/toast.tsx';

interface FormProps {
  readonly namespace: string;
  /** The filter that is edited; empty for a new one. */
  readonly filter: string;
  readonly script: string;
  readonly onDone: () => void;
}

const EXAMPLE = `if (event["type"] == "test") return null;
return event;`;

function FilterForm({ namespace, filter, script, onDone }: FormProps) {
  const name = useSignal(filter);
  const edit = useEdit(script);
  const task = useTask();
  const store = async (text: string) => {
    const operation = filter === '' ? 'createEventFilter' : 'updateEventFilter';
    await call(operation, { namespace, filter: name.value }, { body: text });
    say(`Stored the filter ${name.value}`);
    onDone();
  };
  return (
    <Form task={task} work={() => edit.store(store)} act="Store" failure="The filter was not stored" onLeave={onDone}>
      {filter === '' && <TextField label="Name" isCode isRequired hasFocus value={name.value} onInput={into(name)} />}
      <AreaField
        label={filter === '' ? 'Script' : `Script of ${filter}`}
        isCode
        rows={8}
        value={edit.value.value}
        hint="The body of a JavaScript function: it gets event, and returns it, another one, or null to drop it"
        onInput={into(edit.value)}
      />
    </Form>
  );
}

function Filter({
  namespace,
  filter,
  onChange,
}: {
  readonly namespace: string;
  readonly filter: string;
  readonly onChange: () => void;
}) {
  const { value, error, reload } = useLoad('getEventFilter', { namespace, filter });
  const isEditing = useSignal(false);
  const script = value.value?.jsCode;
  const remove = async () => {
    await call('deleteEventFilter', { namespace, filter });
    const restore = () => call('createEventFilter', { namespace, filter }, { body: script ?? '' }).then(onChange);
    say(`Deleted the filter ${filter}`, { undo: restore });
    onChange();
  };
  const done = () => {
    into(isEditing)(false);
    reload();
  };
  return (
    <li class="event-filter">
      <div class="line">
        <code class="strong grows">{filter}</code>
        <code class="quiet cut">POST …/broadcast/{filter}</code>
        {may('updateEventFilter') && (
          <>
            <Button
              kind="bare"
              icon="edit"
              label={`Edit ${filter}`}
              onClick={() => into(isEditing)(!isEditing.value)}
            />
            <Confirm label={`Delete ${filter}`} icon="trash" kind="bare" isLone act="Delete it" onConfirm={remove}>
              Requests that send events through <code>{filter}</code> fail from then on.
            </Confirm>
          </>
        )}
      </div>
      {error.value && <ErrorNote title="The script cannot be shown" error={error.value} />}
      {isEditing.value && script !== undefined ? (
        <FilterForm namespace={namespace} filter={filter} script={script} onDone={done} />
      ) : (
        <pre class="variable-text">{script}</pre>
      )}
    </li>
  );
}

/** Scripts that filter events. */
export function EventFilters({ namespace }: { readonly namespace: string }) {
  const { value, error, reload } = useLoad('listEventFilters', { namespace });
  const isAdding = useSignal(false);
  const names = value.value?.eventFilter.map(({ name }) => name);
  const added = () => {
    into(isAdding)(false);
    reload();
  };
  if (error.value !== undefined)
    return <ErrorNote title="They cannot be listed" error={error.value} onRetry={reload} />;
  if (names === undefined) return <Skeleton />;
  const add = may('createEventFilter') && !isAdding.value && (
    <Button icon="plus" onClick={() => into(isAdding)(true)}>
      New filter
    </Button>
  );
  return (
    <div class="scroll padded">
      {isAdding.value && <FilterForm namespace={namespace} filter="" script={EXAMPLE} onDone={added} />}
      {names.length === 0 && !isAdding.value ? (
        <Empty icon="filter" title="No filters" action={add}>
          <p>
            A filter is a script that changes or drops events which are sent through it, before anything hears of them.
          </p>
        </Empty>
      ) : (
        <>
          {add}
          <ul>
            {names.map((filter) => (
              <Filter key={filter} namespace={namespace} filter={filter} onChange={reload} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

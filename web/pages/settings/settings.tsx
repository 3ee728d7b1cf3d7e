import { useSignal } from '@preact/signals';
import { call, hasBeside } from '../../data/api/client.ts';
import { useEdit } from '../../data/api/edit.ts';
import { useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import { byteSize, numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go } from '../../data/navigation/location.ts';
import { Switch, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Head, Section } from '../../parts/head/head.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { Alerts } from './alerts.tsx';
import { Mail } from './mail.tsx';
import type { PartProps } from './part.ts';
import { Repository } from './repository.tsx';

function Broadcast({ namespace, config }: PartProps) {
  const task = useTask();
  // The service leaves it out where it is off.
  const all = Object.entries({ 'instance.late': false, ...config.value.value?.broadcast }).toSorted(([a], [b]) =>
    a.localeCompare(b),
  );
  const groups = Object.groupBy(all, ([name]) => name.slice(0, name.lastIndexOf('.')));
  const set = (name: string) => (isOn: boolean) =>
    void task.run(async () => {
      await call('setConfig', { namespace }, { body: { broadcast: { [name]: isOn } } });
      config.reload();
    });
  return (
    <Section title="Events about the namespace itself">
      <p class="settings-words">The namespace sends an event of this type into itself when one of these happens.</p>
      {task.error.value && <ErrorNote title="Nothing was changed" error={task.error.value} />}
      <div class="broadcast">
        {Object.entries(groups).map(([group, rows = []]) => (
          <fieldset key={group}>
            <legend>{group}</legend>
            {rows.map(([name, isOn]) => (
              <Switch
                key={name}
                label={name.slice(group.length + 1)}
                isOn={isOn}
                isDisabled={!may('setConfig')}
                onChange={set(name)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Section>
  );
}

function Lookback({ namespace, config }: PartProps) {
  const settings = config.value.value;
  const edit = useEdit(settings?.events?.lookback ?? '', settings);
  const task = useTask();
  const store = async (lookback: string) => {
    await call('setConfig', { namespace }, { body: { events: { lookback } } });
    say('Stored');
    config.reload();
  };
  return (
    <Section title="Events before a wait">
      <Form
        task={task}
        look="bar-form"
        work={() => edit.store(store)}
        act="Store"
        kind="plain"
        isOffered={may('setConfig')}
        isDisabled={!edit.isChanged.value}
      >
        <TextField
          label="Waits look back"
          isCode
          value={edit.value.value}
          error={task.error.value?.message}
          hint="A duration such as PT1H: a wait also takes events that came in this time before it began"
          onInput={into(edit.value)}
        />
      </Form>
    </Section>
  );
}

const BYTES: ReadonlySet<string> = new Set(['variableBytes']);

/** What the namespace keeps, and how much of it there may be. */
function Quotas({ namespace }: { readonly namespace: string }) {
  const { value, error, reload } = useLoad('getUsage', { namespace });
  return (
    <Section title="Quotas">
      <p class="settings-words">
        How much the namespace may keep. An administrator of the installation raises a quota.
      </p>
      {error.value && <ErrorNote title="The quotas cannot be shown" error={error.value} onRetry={reload} />}
      {value.value === undefined && !error.value && <Skeleton lines={4} />}
      <dl class="quotas">
        {value.value?.quotas.map(({ name, used, most }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{[used, most].map((one) => (BYTES.has(name) ? byteSize(one) : numeric(one))).join(' of ')}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Delete({ namespace }: { readonly namespace: string }) {
  const typed = useSignal('');
  const task = useTask();
  const remove = async () => {
    await call('deleteNamespace', { namespace }, { query: { recursive: true } });
    say(`Deleted ${namespace}`);
    go(addresses.home());
  };
  if (!may('deleteNamespace')) return null;
  return (
    <Section title="Delete the namespace">
      <p class="settings-words">
        Deletes everything in it: workflows, runs, events, variables, secrets, services, logs. It cannot be undone.
      </p>
      <Form
        task={task}
        look="bar-form"
        work={remove}
        act="Delete"
        kind="danger"
        icon="trash"
        isDisabled={typed.value !== namespace}
        failure="Nothing was deleted"
      >
        <TextField label={`Write ${namespace} to confirm`} isCode value={typed.value} onInput={into(typed)} />
      </Form>
    </Section>
  );
}

/** The settings of a namespace. */
export function SettingsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const config = useLoad('getConfig', { namespace });
  const { value, error, reload } = config;
  return (
    <div class="scroll">
      <Head title="Settings" name={`Settings of ${namespace}`} />
      {error.value && <ErrorNote title="The settings cannot be shown" error={error.value} onRetry={reload} />}
      {value.value === undefined && !error.value && <Skeleton lines={6} />}
      {value.value !== undefined && (
        <>
          {hasBeside('sync') && <Repository namespace={namespace} />}
          <Lookback namespace={namespace} config={config} />
          <Alerts namespace={namespace} config={config} />
          <Mail namespace={namespace} config={config} />
          <Broadcast namespace={namespace} config={config} />
          <Quotas namespace={namespace} />
          <Delete namespace={namespace} />
        </>
      )}
    </div>
  );
}

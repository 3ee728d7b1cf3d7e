import type { ConfigReply } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useEdit } from '../../data/api/edit.ts';
import { may } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import { SelectField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Section } from '../../parts/head/head.tsx';
import { say } from '../../parts/toast/toast.tsx';
import type { PartProps } from './part.ts';

const TARGETS = {
  none: { choice: 'off', label: '', hint: '' },
  workflow: { choice: 'start a workflow', label: 'Path of the workflow', hint: 'It gets each alert as its input' },
  url: {
    choice: 'go to a URL',
    label: 'URL',
    hint: 'Each alert is sent by POST; every key that reads the settings can read it',
  },
} as const;

type Target = keyof typeof TARGETS;

const CHOICES = Object.entries(TARGETS).map(([value, { choice }]) => ({ value, label: choice }));

/** The settings as the fields have them. */
interface Fields {
  readonly target: Target;
  readonly to: string;
  readonly within: string;
  readonly secret: string;
}

function fieldsOf({ workflow, url, within = '', secret = '' }: NonNullable<ConfigReply['alerts']> = {}): Fields {
  const target = workflow !== undefined ? 'workflow' : url !== undefined ? 'url' : 'none';
  return { target, to: workflow ?? url ?? '', within, secret };
}

function changesOf({ target, to, within, secret }: Fields) {
  if (target === 'none') return {};
  return { [target]: to, within, ...(target === 'url' ? { secret } : {}) };
}

interface FieldProps {
  readonly values: Fields;
  readonly set: (change: Partial<Fields>) => void;
}

const Signer = ({ values, set }: FieldProps) => (
  <TextField
    label="Secret that signs"
    isCode
    value={values.secret}
    hint="The name of a secret, with which the receiver verifies each alert. Empty: alerts are not signed"
    onInput={(secret) => set({ secret })}
  />
);

/** The fields of alerts that go somewhere. */
function TargetFields({ values, set }: FieldProps) {
  const { label, hint } = TARGETS[values.target];
  return (
    <>
      <TextField label={label} isCode value={values.to} hint={hint} onInput={(to) => set({ to })} />
      {values.target === 'url' && <Signer {...{ values, set }} />}
      <TextField
        label="Pause between alerts"
        isCode
        value={values.within}
        hint="A duration such as PT10M: of a workflow there is at most one alert in this time. Empty: one for each run"
        onInput={(within) => set({ within })}
      />
    </>
  );
}

/** Where alerts about failed and late runs go. */
export function Alerts({ namespace, config }: PartProps) {
  const settings = config.value.value;
  const present = fieldsOf(settings?.alerts);
  const edit = useEdit(present, settings);
  const values = edit.value.value;
  const task = useTask();
  const set = (change: Partial<Fields>) => into(edit.value)({ ...edit.value.peek(), ...change });
  const isOn = values.target !== 'none';
  const store = async (fields: Fields) => {
    const { warnings = [] } = await call('setConfig', { namespace }, { body: { alerts: changesOf(fields) } });
    say(['Stored', ...warnings].join('. '));
    config.reload();
  };
  const choose = (value: string) => {
    const target = value as Target;
    set(target === present.target ? present : { target, to: '' });
  };
  return (
    <Section title="Alerts">
      <p class="settings-words">A message when a run fails, or takes longer than its workflow expects.</p>
      <Form
        task={task}
        look="bar-form"
        work={() => edit.store(store)}
        act="Store"
        kind="plain"
        isOffered={may('setConfig')}
        isDisabled={!edit.isChanged.value || (isOn && values.to === '')}
        failure="Nothing was changed"
      >
        <SelectField label="Alerts" value={values.target} choices={CHOICES} onChange={choose} />
        {isOn && <TargetFields {...{ values, set }} />}
      </Form>
    </Section>
  );
}

import { type Signal, useSignal } from '@preact/signals';
import { call } from '../../data/api/client.ts';
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

const Signer = ({ name }: { readonly name: Signal<string> }) => (
  <TextField
    label="Secret that signs"
    isCode
    value={name.value}
    hint="The name of a secret, with which the receiver verifies each alert. Empty: alerts are not signed"
    onInput={into(name)}
  />
);

const Pause = ({ time }: { readonly time: Signal<string> }) => (
  <TextField
    label="Pause between alerts"
    isCode
    value={time.value}
    hint="A duration such as PT10M: of a workflow there is at most one alert in this time. Empty: one for each run"
    onInput={into(time)}
  />
);

/** Where alerts about failed and late runs go. */
export function Alerts({ namespace, config }: PartProps) {
  const { workflow, url, secret = '', within = '' } = config.value.value?.alerts ?? {};
  const present: Target = workflow !== undefined ? 'workflow' : url !== undefined ? 'url' : 'none';
  const stored = workflow ?? url ?? '';
  const [target, to, pause] = [useSignal<Target>(present), useSignal(stored), useSignal(within)];
  const signer = useSignal(secret);
  const task = useTask();
  const isOn = target.value !== 'none';
  const isSigned = target.value === 'url';
  const isUnchanged = to.value === stored && pause.value === within && (!isSigned || signer.value === secret);
  const isSame = target.value === present && (!isOn || isUnchanged);
  const store = async () => {
    const signing = isSigned ? { secret: signer.value } : {};
    const alerts = isOn ? { [target.value]: to.value, within: pause.value, ...signing } : {};
    const { warnings = [] } = await call('setConfig', { namespace }, { body: { alerts } });
    say(['Stored', ...warnings].join('. '));
    config.reload();
  };
  const choose = (value: string) => {
    target.value = value as Target;
    to.value = value === present ? stored : '';
  };
  const { label, hint } = TARGETS[target.value];
  return (
    <Section title="Alerts">
      <p class="settings-words">A message when a run fails, or takes longer than its workflow expects.</p>
      <Form
        task={task}
        look="bar-form"
        work={store}
        act="Store"
        kind="plain"
        isOffered={may('setConfig')}
        isDisabled={isSame || (isOn && to.value === '')}
        failure="Nothing was changed"
      >
        <SelectField label="Alerts" value={target.value} choices={CHOICES} onChange={choose} />
        {isOn && <TextField label={label} isCode value={to.value} hint={hint} onInput={into(to)} />}
        {isSigned && <Signer name={signer} />}
        {isOn && <Pause time={pause} />}
      </Form>
    </Section>
  );
}

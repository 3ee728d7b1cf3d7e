import { useSignal } from '@preact/signals';
import { call } from '../../../data/api/client.ts';
import { may } from '../../../data/api/session.ts';
import { into, useTask } from '../../../data/api/task.ts';
import { Button } from '../../../parts/button/button.tsx';
import { Switch, TextField } from '../../../parts/field/field.tsx';
import { Section } from '../../../parts/head/head.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { ErrorNote } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import type { TabProps } from './tab-props.ts';

function Enabled({ namespace, workflow, router }: TabProps) {
  const task = useTask();
  const isLive = router.value.value?.live ?? true;
  const toggle = (live: boolean) =>
    task.run(async () => {
      await call('toggleWorkflow', { namespace, node: workflow.node.path }, { body: { live } });
      say(live ? 'Enabled' : 'Disabled: nothing starts it');
      router.reload();
    });
  return (
    <Section title="Starts">
      <div class="setting">
        <Switch
          label="Enabled"
          isOn={isLive}
          isDisabled={!may('toggleWorkflow')}
          onChange={(live) => void toggle(live)}
        />
        <p class="quiet">A disabled workflow is started by nothing: no request, no event, no clock. Its runs go on.</p>
        {task.error.value && <ErrorNote title="Nothing was changed" error={task.error.value} />}
      </div>
    </Section>
  );
}

function EventLogging({ namespace, workflow }: TabProps) {
  const logger = useSignal(workflow.eventLogging);
  const task = useTask();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { logger: logger.value };
    const path = { namespace, node: workflow.node.path };
    if (await task.run(() => call('setEventLogging', path, { body }))) say('Stored');
  };
  return (
    <Section title="Log as events">
      <form class="setting" onSubmit={submit}>
        <TextField
          label="Name of the logger"
          isCode
          value={logger.value}
          error={task.error.value?.message}
          hint="What the workflow logs is sent as events under this name; no name sends nothing"
          onInput={into(logger)}
        />
        {may('setEventLogging') && (
          <Button type="submit" isBusy={task.isBusy.value} disabled={logger.value === workflow.eventLogging}>
            Store
          </Button>
        )}
      </form>
    </Section>
  );
}

function Labels({ namespace, workflow }: TabProps) {
  const { path, attributes } = workflow.node;
  const label = useSignal('');
  const task = useTask();
  const target = { namespace, node: path };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { attributes: [label.value.trim()] };
    if (await task.run(() => call('createNodeAttributes', target, { body }))) into(label)('');
  };
  const remove = (one: string) => task.run(() => call('deleteNodeAttributes', target, { body: { attributes: [one] } }));
  const mayWrite = may('createNodeAttributes');
  return (
    <Section title="Labels">
      <form class="setting" onSubmit={add}>
        <div class="line wraps">
          {attributes.length === 0 && <span class="quiet">No labels.</span>}
          {attributes.map((one) => (
            <span key={one} class="label">
              {one}
              {mayWrite && (
                <button
                  type="button"
                  class="label-remove"
                  aria-label={`Remove ${one}`}
                  onClick={() => void remove(one)}
                >
                  <Icon name="close" size={10} />
                </button>
              )}
            </span>
          ))}
        </div>
        {mayWrite && (
          <TextField
            label="New label"
            isRequired
            value={label.value}
            error={task.error.value?.message}
            onInput={into(label)}
          />
        )}
        {mayWrite && <Button type="submit">Add</Button>}
      </form>
    </Section>
  );
}

/** Whether the workflow is enabled, its labels, and where its log goes. */
export function SettingsTab(props: TabProps) {
  return (
    <div class="scroll settings">
      <Enabled {...props} />
      <Labels {...props} />
      <EventLogging key={props.workflow.eventLogging} {...props} />
    </div>
  );
}

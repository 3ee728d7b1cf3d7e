import { useSignal } from '@preact/signals';
import { call } from '../../../data/api/client.ts';
import { useEdit } from '../../../data/api/edit.ts';
import { may } from '../../../data/api/session.ts';
import { into, useTask } from '../../../data/api/task.ts';
import { Switch, TextField } from '../../../parts/field/field.tsx';
import { Form } from '../../../parts/form/form.tsx';
import { Section } from '../../../parts/head/head.tsx';
import { ErrorNote } from '../../../parts/note/note.tsx';
import { say } from '../../../parts/toast/toast.tsx';
import { Label } from '../../../parts/value/label.tsx';
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
  const edit = useEdit(workflow.eventLogging, workflow);
  const task = useTask();
  const store = async (logger: string) => {
    const path = { namespace, node: workflow.node.path };
    await call('setEventLogging', path, { body: { logger } });
    say('Stored');
  };
  return (
    <Section title="Log as events">
      <Form
        task={task}
        look="setting"
        work={() => edit.store(store)}
        act="Store"
        kind="plain"
        isOffered={may('setEventLogging')}
        isDisabled={!edit.isChanged.value}
      >
        <TextField
          label="Name of the logger"
          isCode
          value={edit.value.value}
          error={task.error.value?.message}
          hint="What the workflow logs is sent as events under this name; no name sends nothing"
          onInput={into(edit.value)}
        />
      </Form>
    </Section>
  );
}

function Labels({ namespace, workflow }: TabProps) {
  const { path, attributes } = workflow.node;
  const label = useSignal('');
  const task = useTask();
  const target = { namespace, node: path };
  const add = async () => {
    await call('createNodeAttributes', target, { body: { attributes: [label.value.trim()] } });
    into(label)('');
  };
  const remove = (one: string) => task.run(() => call('deleteNodeAttributes', target, { body: { attributes: [one] } }));
  const mayWrite = may('createNodeAttributes');
  return (
    <Section title="Labels">
      <Form task={task} look="setting" work={add} act="Add" kind="plain" isOffered={mayWrite}>
        <div class="line wraps">
          {attributes.length === 0 && <span class="quiet">No labels.</span>}
          {attributes.map((one) => (
            <Label key={one} text={one} removal={`Remove ${one}`} onRemove={mayWrite ? () => remove(one) : undefined} />
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
      </Form>
    </Section>
  );
}

/** The settings of a workflow: enabled or not, labels, logger. */
export function SettingsTab(props: TabProps) {
  return (
    <div class="scroll settings">
      <Enabled {...props} />
      <Labels {...props} />
      <EventLogging {...props} />
    </div>
  );
}

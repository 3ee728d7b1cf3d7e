import { type Signal, useSignal } from '@preact/signals';
import { into, useTask } from '../../data/api/task.ts';
import type { ServiceActions } from '../../data/services/source.ts';
import { SelectField, TextField } from '../field/field.tsx';
import { Form } from '../form/form.tsx';
import { say } from '../toast/toast.tsx';
import { SIZES } from './list.tsx';

/** The fields of a new revision of a service. */
export interface ContainerDraft {
  readonly image: Signal<string>;
  readonly cmd: Signal<string>;
  readonly size: Signal<string>;
  readonly minScale: Signal<string>;
}

/** The draft of a form. */
export function useContainerDraft(image = ''): ContainerDraft {
  return { image: useSignal(image), cmd: useSignal(''), size: useSignal('1'), minScale: useSignal('0') };
}

/** The body of a request for a draft. */
export const bodyOf = ({ image, cmd, size, minScale }: ContainerDraft) => ({
  image: image.value.trim(),
  cmd: cmd.value,
  size: Number(size.value),
  minScale: Number(minScale.value),
});

/** The fields of a draft. */
export function ContainerFields({ draft }: { readonly draft: ContainerDraft }) {
  const { image, cmd, size, minScale } = draft;
  const sizes = SIZES.map((label, index) => ({ value: String(index), label }));
  return (
    <>
      <TextField
        label="Image"
        isCode
        isRequired
        value={image.value}
        placeholder="registry.example.com/name:tag"
        onInput={into(image)}
      />
      <TextField
        label="Command"
        isCode
        value={cmd.value}
        hint="In place of the image's own; may be left out"
        onInput={into(cmd)}
      />
      <SelectField label="Size" value={size.value} choices={sizes} onChange={into(size)} />
      <TextField
        label="Kept running"
        type="number"
        value={minScale.value}
        hint="Copies that run while nothing calls: 0 costs nothing"
        onInput={into(minScale)}
      />
    </>
  );
}

/** A form for a service with its first revision. */
export function NewService({ actions, onDone }: { readonly actions: ServiceActions; readonly onDone: () => void }) {
  const name = useSignal('');
  const draft = useContainerDraft();
  const task = useTask();
  const create = async () => {
    await actions.create({ name: name.value, ...bodyOf(draft) });
    say(`Created ${name.value}: it is being made ready`);
    onDone();
  };
  return (
    <Form task={task} work={create} act="Create" failure="Nothing was created" onLeave={onDone}>
      <TextField label="Name" isCode isRequired hasFocus value={name.value} onInput={into(name)} />
      <ContainerFields draft={draft} />
    </Form>
  );
}

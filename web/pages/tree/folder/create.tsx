import { useSignal } from '@preact/signals';
import { call } from '../../../data/api/client.ts';
import { into, useTask } from '../../../data/api/task.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { go } from '../../../data/navigation/location.ts';
import { SelectField, TextField } from '../../../parts/field/field.tsx';
import { Form } from '../../../parts/form/form.tsx';
import { FileButton } from '../../../parts/variables/file-button.tsx';
import { TEMPLATES } from './templates.ts';

export type Creating = 'workflow' | 'directory';

interface CreateProps {
  readonly what: Creating;
  readonly namespace: string;
  readonly directory: string;
  readonly onDone: () => void;
}

const below = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

const TITLES: Readonly<Record<Creating, string>> = {
  workflow: 'Name of the workflow',
  directory: 'Name of the folder',
};
const HINT = 'Lower-case letters, digits and - _ . between them';

/** A form for a new workflow, which opens in the editor, or a new folder. */
export function CreateForm({ what, namespace, directory, onDone }: CreateProps) {
  const name = useSignal('');
  const template = useSignal<string>(TEMPLATES[0].value);
  const task = useTask();
  const create = async (source: string | Blob) => {
    const node = below(directory, name.value);
    if (what === 'directory') await call('createDirectory', { namespace, node });
    else await call('createWorkflow', { namespace, node }, { body: source, type: 'text/yaml' });
    onDone();
    go(addresses.tree(namespace, node));
  };
  const createByTemplate = () => create(TEMPLATES.find(({ value }) => value === template.value)?.source ?? '');
  const take = (file: File) => {
    if (name.value === '') name.value = file.name.toLowerCase();
    void task.run(() => create(file));
  };
  const more = what === 'workflow' && <FileButton label="From a file" onFile={take} />;
  return (
    <Form {...{ task, more }} look="bar-form" work={createByTemplate} act="Create" onLeave={onDone}>
      <TextField
        label={TITLES[what]}
        isCode
        isRequired
        hasFocus
        hint={HINT}
        error={task.error.value?.message}
        value={name.value}
        onInput={into(name)}
      />
      {what === 'workflow' && (
        <SelectField label="Begin with" value={template.value} choices={TEMPLATES} onChange={into(template)} />
      )}
    </Form>
  );
}

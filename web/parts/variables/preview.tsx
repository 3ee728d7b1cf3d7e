import { useSignal } from '@preact/signals';
import type { Variable } from '../../../clients/api/operations.ts';
import { useRead } from '../../data/api/live.ts';
import { into, useTask } from '../../data/api/task.ts';
import { saveAs } from '../../data/api/transfer.ts';
import { byteSize } from '../../data/format/text.ts';
import type { VariableStore } from '../../data/variables/stores.ts';
import { Button } from '../button/button.tsx';
import { Confirm } from '../confirm/confirm.tsx';
import { AreaField } from '../field/field.tsx';
import { ErrorNote } from '../note/note.tsx';
import { say } from '../toast/toast.tsx';
import { FileButton } from './file-button.tsx';
import { Progress, type Transfer, useTransfer } from './transfer.tsx';
import { Value } from './value.tsx';

interface PreviewProps {
  readonly store: VariableStore;
  readonly variable: Variable;
}

/** A larger value, bytes, is shown on demand. */
const LARGEST = 2_000_000;
/** A larger text, bytes, is not edited here. */
const LARGEST_EDITED = 500_000;

const TEXTUAL = /^text\/|json|yaml|xml|javascript|csv/;

interface EditProps extends PreviewProps {
  readonly text: string;
  readonly onDone: () => void;
}

function Edit({ store, variable, text, onDone }: EditProps) {
  const draft = useSignal(text);
  const task = useTask();
  const save = async () => {
    const value = new Blob([draft.value], { type: variable.mimeType });
    if (!(await task.run(() => store.write(variable.name, value, () => {})))) return;
    say(`Stored ${variable.name}`);
    onDone();
  };
  return (
    <div class="stack">
      <AreaField
        label={`Value of ${variable.name}`}
        isCode
        rows={12}
        value={draft.value}
        error={task.error.value?.message}
        onInput={into(draft)}
      />
      <div class="line">
        <Button kind="primary" isBusy={task.isBusy.value} onClick={save}>
          Store
        </Button>
        <Button kind="bare" onClick={onDone}>
          Leave as it was
        </Button>
      </div>
    </div>
  );
}

/** Deletes a variable; its value is kept for some seconds for undoing. */
async function removeWithUndo({ store, variable }: PreviewProps): Promise<void> {
  const kept = await store.read(variable.name, () => {});
  await store.remove(variable.name);
  say(`Deleted ${variable.name}`, { undo: () => store.write(variable.name, kept, () => {}) });
}

interface ToolsProps extends PreviewProps {
  readonly transfer: Transfer;
  readonly onEdit: (() => void) | undefined;
}

function Tools({ store, variable, transfer, onEdit }: ToolsProps) {
  const { name } = variable;
  const fetchFile = () => transfer.run(async (onProgress) => saveAs(name, await store.read(name, onProgress)));
  const replace = (file: File) =>
    transfer.run(async (onProgress) => {
      await store.write(name, file, onProgress);
      say(`Stored ${name}`);
    });
  return (
    <div class="line wraps">
      <Button icon="download" onClick={fetchFile}>
        Download
      </Button>
      {store.mayWrite && onEdit !== undefined && (
        <Button icon="edit" onClick={onEdit}>
          Edit
        </Button>
      )}
      {store.mayWrite && (
        <>
          <FileButton label="Replace by a file" onFile={replace} />
          <Confirm label="Delete" icon="trash" kind="danger" onConfirm={() => removeWithUndo({ store, variable })}>
            Deletes <code>{name}</code>. States that read it find null. It can be undone for some seconds.
          </Confirm>
        </>
      )}
    </div>
  );
}

const canEdit = ({ mimeType, size }: Variable): boolean => TEXTUAL.test(mimeType) && Number(size) < LARGEST_EDITED;

/** The value of a variable, and the actions on it. */
export function VariablePreview({ store, variable }: PreviewProps) {
  const isWanted = useSignal(Number(variable.size) <= LARGEST);
  const read = () => store.read(variable.name, () => {});
  const { value, error } = useRead([store.owner, variable.name], isWanted.value ? read : undefined);
  const bytes = value.value;
  const transfer = useTransfer();
  const edited = useSignal<string | undefined>(undefined);
  const edit = async () => {
    edited.value = await bytes?.text();
  };
  const isEditable = canEdit(variable) && bytes !== undefined;
  return (
    <>
      <Tools {...{ store, variable, transfer }} onEdit={isEditable ? edit : undefined} />
      <Progress transfer={transfer} />
      {error.value && <ErrorNote title="The value cannot be shown" error={error.value} />}
      {!isWanted.value && <Button onClick={() => into(isWanted)(true)}>Show {byteSize(Number(variable.size))}</Button>}
      {edited.value !== undefined ? (
        <Edit {...{ store, variable }} text={edited.value} onDone={() => into(edited)(undefined)} />
      ) : (
        bytes !== undefined && <Value bytes={bytes} type={variable.mimeType} name={variable.name} />
      )}
    </>
  );
}

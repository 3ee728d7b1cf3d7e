import type { ComponentChildren } from 'preact';
import type { Task } from '../../data/api/task.ts';
import { Button } from '../button/button.tsx';
import type { IconName } from '../icon/icon.tsx';
import { ErrorNote } from '../note/note.tsx';

interface FormProps {
  readonly task: Task;
  /** Performs the action, as a run of the task, when the form is submitted. */
  readonly work: () => Promise<unknown>;
  /** The verb on the button that submits. */
  readonly act: string;
  readonly kind?: 'primary' | 'plain' | 'danger';
  readonly icon?: IconName;
  readonly isDisabled?: boolean;
  /** False: there is no button, because the key may not do it. */
  readonly isOffered?: boolean;
  /** The title of the error; without it, a field shows the error. */
  readonly failure?: string;
  readonly onLeave?: () => void;
  /** `bar-form`: the fields stand side by side in a box. */
  readonly look?: 'stack' | 'bar-form' | 'line' | 'setting' | 'create' | 'division';
  /** Further buttons. */
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Fields with the button that submits them, and the error of the action. */
export function Form({ task, work, act, failure, onLeave, look = 'stack', more, children, ...button }: FormProps) {
  const { kind = 'primary', icon, isDisabled = false, isOffered = true } = button;
  const error = task.error.value;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // Enter in a field submits the form too, while its button is busy.
    if (!task.isBusy.peek()) void task.run(work);
  };
  return (
    <form class={look} onSubmit={submit}>
      {children}
      {failure !== undefined && error && <ErrorNote title={failure} error={error} />}
      <div class="line wraps">
        {isOffered && (
          <Button
            type="submit"
            isBusy={task.isBusy.value}
            disabled={isDisabled}
            {...{ kind, ...(icon === undefined ? {} : { icon }) }}
          >
            {act}
          </Button>
        )}
        {more}
        {onLeave && (
          <Button kind="bare" onClick={onLeave}>
            Leave
          </Button>
        )}
      </div>
    </form>
  );
}

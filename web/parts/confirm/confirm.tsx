import type { ComponentChildren } from 'preact';
import { useTask } from '../../data/api/task.ts';
import { Button } from '../button/button.tsx';
import type { IconName } from '../icon/icon.tsx';
import { type Popover, usePopover } from '../popover/popover.ts';

interface ConfirmProps {
  /** The text of the button that opens the question. */
  readonly label: string;
  readonly icon?: IconName;
  readonly kind?: 'plain' | 'bare' | 'danger';
  /** The button shows its icon alone. */
  readonly isLone?: boolean;
  /** The consequences of the action. */
  readonly children: ComponentChildren;
  /** The text of the button that confirms; the label if not given. */
  readonly act?: string;
  /** Performs the action; the question shows the error that it throws. */
  readonly onConfirm: () => Promise<unknown>;
}

function Question({ label, act, children, onConfirm, popover }: ConfirmProps & { readonly popover: Popover }) {
  const task = useTask();
  const confirm = async () => {
    if (await task.run(onConfirm)) popover.close();
  };
  return (
    <>
      <div class="confirm-words">{children}</div>
      {task.error.value && (
        <p class="confirm-error" role="alert">
          {task.error.value.message}
        </p>
      )}
      <div class="line">
        <Button kind="danger" isBusy={task.isBusy.value} onClick={confirm}>
          {act ?? label}
        </Button>
        <Button kind="bare" onClick={popover.close}>
          Keep
        </Button>
      </div>
    </>
  );
}

/** A button that asks for a confirmation in place, and shows the consequences. */
export function Confirm(props: ConfirmProps) {
  const popover = usePopover('right');
  return (
    <>
      <Button
        kind={props.kind ?? 'plain'}
        {...(props.icon === undefined ? {} : { icon: props.icon })}
        {...(props.isLone ? { label: props.label } : { children: props.label })}
        attributes={{
          ref: popover.button,
          popovertarget: popover.id,
          'aria-haspopup': 'dialog',
          'aria-expanded': popover.isOpen.value,
        }}
      />
      <div
        class="confirm-panel"
        role="dialog"
        aria-label={props.label}
        id={popover.id}
        ref={popover.panel}
        popover="auto"
      >
        {popover.isOpen.value && <Question {...props} popover={popover} />}
      </div>
    </>
  );
}

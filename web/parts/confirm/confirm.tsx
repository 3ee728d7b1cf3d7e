import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTask } from '../../data/api/task.ts';
import { Button } from '../button/button.tsx';
import type { IconName } from '../icon/icon.tsx';

interface ConfirmProps {
  /** The button that asks. */
  readonly label: string;
  readonly icon?: IconName;
  readonly kind?: 'plain' | 'bare' | 'danger';
  /** The button shows its icon alone. */
  readonly isLone?: boolean;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** The button that does it; the label if not given. */
  readonly act?: string;
  /** Does it; what it throws is shown here. */
  readonly onConfirm: () => Promise<unknown>;
}

/** A button that asks once, in place, and says what will happen. */
export function Confirm(props: ConfirmProps) {
  const isOpen = useSignal(false);
  return (
    <div class="confirm">
      <Button
        kind={props.kind ?? 'plain'}
        {...(props.icon === undefined ? {} : { icon: props.icon })}
        {...(props.isLone ? { label: props.label } : { children: props.label })}
        attributes={{ 'aria-expanded': isOpen.value }}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      />
      {isOpen.value && <Question {...props} isOpen={isOpen} />}
    </div>
  );
}

/** Puts the focus into the panel, and closes it when something else is pressed. */
function usePanel(isOpen: Signal<boolean>) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = panel.current?.parentElement;
    panel.current?.querySelector<HTMLElement>('button')?.focus();
    const leave = (event: MouseEvent) => {
      if (root && !event.composedPath().includes(root)) isOpen.value = false;
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      isOpen.value = false;
      root?.querySelector('button')?.focus();
    };
    document.addEventListener('mousedown', leave);
    root?.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('mousedown', leave);
      root?.removeEventListener('keydown', press);
    };
  }, [isOpen]);
  return panel;
}

function Question({ label, act, children, onConfirm, isOpen }: ConfirmProps & { readonly isOpen: Signal<boolean> }) {
  const task = useTask();
  const panel = usePanel(isOpen);
  const confirm = async () => {
    if (await task.run(onConfirm)) isOpen.value = false;
  };
  return (
    <div class="confirm-panel" role="dialog" aria-label={label} ref={panel}>
      <div class="confirm-words">{children}</div>
      {task.error.value && <p class="confirm-error">{task.error.value.message}</p>}
      <div class="line">
        <Button kind="danger" isBusy={task.isBusy.value} onClick={confirm}>
          {act ?? label}
        </Button>
        <Button
          kind="bare"
          onClick={() => {
            isOpen.value = false;
          }}
        >
          Keep
        </Button>
      </div>
    </div>
  );
}

import { signal } from '@preact/signals';
import { Button } from '../button/button.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isWrong: boolean;
  readonly undo: (() => Promise<unknown>) | undefined;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

const SHOWN_MS = 6000;

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Shows a message for some seconds; with `undo`, also a button that undoes the action. */
export function say(
  text: string,
  { isWrong = false, undo }: { isWrong?: boolean; undo?: () => Promise<unknown> } = {},
): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-2), { id, text, isWrong, undo }];
  setTimeout(() => remove(id), SHOWN_MS);
}

function undone({ id, undo }: Toast): void {
  remove(id);
  undo?.().then(
    () => say('Undone'),
    (error: unknown) => say(`Not undone: ${error instanceof Error ? error.message : error}`, { isWrong: true }),
  );
}

/** The messages of `say`, once per page. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast${toast.isWrong ? ' wrong' : ''}`}>
          <span class="grows">{toast.text}</span>
          {toast.undo && (
            <Button kind="bare" onClick={() => undone(toast)}>
              Undo
            </Button>
          )}
          <Button kind="bare" icon="close" label="Close" onClick={() => remove(toast.id)} />
        </div>
      ))}
    </div>
  );
}

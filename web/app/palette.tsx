import { computed, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, actions } from '../data/navigation/actions.ts';

/** `all`: all actions; `page`: those of the page; `keys`: those that have a key. */
type Mode = 'all' | 'page' | 'keys';

const mode = signal<Mode | undefined>(undefined);
const term = signal('');
const chosen = signal(0);

const LABELS: Readonly<Record<Mode, string>> = {
  all: 'Go to a page or do something',
  page: 'Do something on this page',
  keys: 'Keys',
};

/** Opens the palette on all actions, on those of the page, or on those with keys. */
export function openPalette(next: Mode): void {
  term.value = '';
  chosen.value = 0;
  mode.value = next;
}

const close = (): void => {
  mode.value = undefined;
};

const PICKS: Readonly<Record<Mode, (action: Action) => boolean>> = {
  all: () => true,
  page: ({ isOfPage }) => isOfPage === true,
  keys: ({ keys }) => keys !== undefined,
};

/** The actions in which every word of the term occurs; those that begin with its first word come first. */
function matching(all: readonly Action[], text: string): readonly Action[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ label }: Action): string => label.toLowerCase();
  const found = all.filter((action) => words.every((word) => textOf(action).includes(word)));
  const rank = (action: Action): number => (textOf(action).startsWith(words[0] ?? '') ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

const MOST_SHOWN = 60;

const shown = computed(() => {
  if (mode.value === undefined) return [];
  return matching(actions.value.filter(PICKS[mode.value]), term.value).slice(0, MOST_SHOWN);
});

function act(action: Action | undefined): void {
  if (action === undefined) return;
  close();
  action.run();
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function press(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step !== undefined) {
    event.preventDefault();
    const count = Math.max(shown.value.length, 1);
    chosen.value = (chosen.value + step + count) % count;
  }
  if (event.key === 'Enter') {
    event.preventDefault();
    act(shown.value[chosen.value]);
  }
}

/**
 * Handles a key for the palette while it opens and has no focus yet, so that no typed letter is lost or starts another
 * action. False while the palette is closed or has the focus.
 */
export function takeKey(event: KeyboardEvent): boolean {
  if (mode.value === undefined || document.activeElement?.closest('dialog') !== null) return false;
  if (event.key.length === 1) {
    event.preventDefault();
    term.value += event.key;
    chosen.value = 0;
  } else {
    press(event);
  }
  return true;
}

function Options() {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });
  if (shown.value.length === 0) return <p class="palette-none">Nothing is called that here.</p>;
  return (
    <div class="palette-list" role="listbox" id="palette-list" aria-label="Results" ref={list}>
      {shown.value.map((action, index) => (
        <button
          key={action.id}
          type="button"
          tabIndex={-1}
          id={`palette-${index}`}
          role="option"
          class="palette-option"
          aria-selected={index === chosen.value}
          onClick={() => act(action)}
        >
          <span class="grows cut">{action.label}</span>
          {action.keys && <kbd>{action.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** The command palette: all actions, found by a few letters. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = mode.value !== undefined;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  useEffect(() => {
    const element = dialog.current;
    // The backdrop belongs to the dialog.
    const leave = (event: MouseEvent) => event.target === element && close();
    element?.addEventListener('click', leave);
    return () => element?.removeEventListener('click', leave);
  }, []);
  const label = LABELS[mode.value ?? 'all'];
  return (
    // Not `onClose`: this event is later than the end, and the palette may be open again by then.
    <dialog class="palette" ref={dialog} aria-label={label} onCancel={close}>
      {isOpen && (
        <>
          <input
            class="palette-input"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={`palette-${chosen.value}`}
            aria-label={label}
            placeholder={label}
            value={term.value}
            spellcheck={false}
            onInput={({ currentTarget }) => {
              term.value = currentTarget.value;
              chosen.value = 0;
            }}
            onKeyDown={press}
          />
          <Options />
        </>
      )}
    </dialog>
  );
}

import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * What a form edits of the values that the service has: JSON, whose members have the same order each time. It takes
 * over what is read from the service only while nothing is written in the form that is not stored.
 */
export class Edit<T> {
  /** What the fields have. */
  readonly value: Signal<T>;
  /** Something is written that is not stored. */
  readonly isChanged: ReadonlySignal<boolean>;
  /** What was read or stored last. */
  readonly #base: Signal<T>;
  #read: { readonly value: T };

  constructor(value: T) {
    this.value = signal(value);
    this.#base = signal(value);
    this.#read = { value };
    this.isChanged = computed(() => !isSame(this.value.value, this.#base.value));
  }

  /** Is told of each value that was read from the service. */
  follow(value: T): void {
    this.#read = { value };
    const isChanged = this.isChanged.peek();
    batch(() => {
      this.#base.value = value;
      if (!isChanged) this.value.value = value;
    });
  }

  /** Stores the present value by `work`; what is written meanwhile counts as not stored. Throws what `work` throws. */
  async store(work: (value: T) => Promise<unknown>): Promise<void> {
    const before = this.#read;
    const value = this.value.peek();
    await work(value);
    this.#base.value = value;
    // A stream may report the stored value, as the service has it, before the reply comes.
    if (this.#read !== before) this.follow(this.#read.value);
  }
}

/** An edit of a value that was read; another `reading` says that it was read again, even if it is the same. */
export function useEdit<T>(value: T, reading?: unknown): Edit<T> {
  const edit = useMemo(() => new Edit(value), []);
  useLayoutEffect(() => edit.follow(value), [edit, JSON.stringify(value), reading]);
  return edit;
}

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Something that can be done or opened from the command palette. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** A key, or two that follow each other: `g r`. */
  readonly keys?: string;
  /** Belongs to the page that is shown: `.` lists these. */
  readonly isOfPage?: boolean;
  readonly run: () => void;
}

/** The actions of the components that are shown at present. */
export const actions = signal<readonly Action[]>([]);

/** Offers actions while the component is shown. They are made again when one of the `inputs` changes. */
export function useActions(make: () => readonly Action[], inputs: readonly unknown[]): void {
  useEffect(() => {
    const mine = make().map((action) => ({ isOfPage: true, ...action }));
    actions.value = [...actions.peek(), ...mine];
    return () => {
      actions.value = actions.peek().filter((action) => !mine.includes(action as (typeof mine)[number]));
    };
  }, inputs);
}

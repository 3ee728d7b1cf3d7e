import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** An entry of the command palette. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** A key, or two in sequence: `g r`. */
  readonly keys?: string;
  /** An action of the present page, which `.` lists. */
  readonly isOfPage?: boolean;
  readonly run: () => void;
}

/** The actions of all components on the page. */
export const actions = signal<readonly Action[]>([]);

/** Adds actions while the component is shown. They are updated when one of the `inputs` changes. */
export function useActions(make: () => readonly Action[], inputs: readonly unknown[]): void {
  useEffect(() => {
    const mine = make().map((action) => ({ isOfPage: true, ...action }));
    actions.value = [...actions.peek(), ...mine];
    return () => {
      actions.value = actions.peek().filter((action) => !mine.includes(action as (typeof mine)[number]));
    };
  }, inputs);
}

import { type ReadonlySignal, signal } from '@preact/signals';

function matching(query: string): ReadonlySignal<boolean> {
  const list = window.matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
}

/** A narrow window, as on a phone: each row of a list has two lines, and parts are below each other. */
export const isNarrow = matching('(width < 700px)');

/** The bar is at the bottom, and the inspector is a sheet. */
export const isCompact = matching('(width < 900px)');

import { type ReadonlySignal, signal } from '@preact/signals';

function matching(query: string): ReadonlySignal<boolean> {
  const list = window.matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => {
    matches.value = list.matches;
  });
  return matches;
}

/** A phone, or a window as narrow as one: lists show two lines a row, and parts stand below each other. */
export const isNarrow = matching('(width < 700px)');

/** The bar stands at the bottom, and the inspector is a sheet. */
export const isCompact = matching('(width < 900px)');

import { hasModifier, isTyping } from '../data/browser/typing.ts';
import { actions } from '../data/navigation/actions.ts';
import { openPalette, takeKey } from './palette.tsx';

/** The maximum time between the keys of a sequence. */
const PAIR_MS = 1200;

let pending = '';
let timer: ReturnType<typeof setTimeout> | undefined;

function isPalette(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
}

const MODES: Readonly<Record<string, 'keys' | 'page'>> = { '?': 'keys', '.': 'page' };

function press(event: KeyboardEvent): void {
  if (isPalette(event)) {
    event.preventDefault();
    openPalette('all');
    return;
  }
  if (takeKey(event)) return;
  if (event.defaultPrevented || isTyping(event) || hasModifier(event)) return;
  const mode = MODES[event.key];
  if (mode !== undefined) {
    openPalette(mode);
    return;
  }
  const keys = pending === '' ? event.key : `${pending} ${event.key}`;
  const found = actions.value.find((action) => action.keys === keys);
  clearTimeout(timer);
  pending = '';
  if (found !== undefined) {
    event.preventDefault();
    found.run();
  } else if (actions.value.some((action) => action.keys?.startsWith(`${event.key} `))) {
    pending = event.key;
    timer = setTimeout(() => {
      pending = '';
    }, PAIR_MS);
  }
}

/** Starts the actions of the page by their keys. */
export function startShortcuts(): void {
  window.addEventListener('keydown', press);
}

import { signal } from '@preact/signals';

/** The present, milliseconds since 1970; it moves each second while the page is shown. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

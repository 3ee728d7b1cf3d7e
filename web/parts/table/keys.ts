import { hasModifier, isTyping } from '../../data/browser/typing.ts';

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1 };

const linkAt = (body: HTMLElement, index: number): HTMLElement | null =>
  body.querySelector<HTMLElement>(`[data-index="${index}"] .row-link`);

function move(body: HTMLElement, step: number, height: number): void {
  const active = document.activeElement?.closest<HTMLElement>('[data-index]');
  const isInside = active !== null && active !== undefined && body.contains(active);
  const first = Math.ceil(body.scrollTop / height);
  const next = isInside ? Number(active.dataset['index']) + step : first;
  if (next < 0) return;
  // The row may not exist yet: scrolling creates it.
  const top = next * height;
  if (top < body.scrollTop) body.scrollTop = top;
  if (top + height > body.scrollTop + body.clientHeight) body.scrollTop = top + height - body.clientHeight;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => linkAt(body, next)?.focus({ preventScroll: body.scrollHeight > body.clientHeight })),
  );
}

/** Moves the focus among the rows of a table by `j` and `k`. Returns the function that removes the listener. */
export function rowKeys(bodyOf: () => HTMLElement | null, height: number): () => void {
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const body = bodyOf();
    if (step === undefined || body === null || isTyping(event) || hasModifier(event) || event.defaultPrevented) return;
    event.preventDefault();
    move(body, step, height);
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
}

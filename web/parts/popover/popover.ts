import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';

const GAP = 4;
const EDGE = 8;

/** Places a panel below its button, or above it for lack of room, always inside the window. */
function placePanel(panel: HTMLElement, button: HTMLElement, side: 'left' | 'right'): void {
  const box = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const left = side === 'left' ? box.left : box.right - width;
  const isRoomBelow = box.bottom + GAP + height + EDGE <= window.innerHeight;
  const top = isRoomBelow ? box.bottom + GAP : box.top - GAP - height;
  panel.style.left = `${Math.max(EDGE, Math.min(left, window.innerWidth - width - EDGE))}px`;
  panel.style.top = `${Math.max(EDGE, top)}px`;
}

/** A panel in the top layer of the page, opened by a button. */
export interface Popover {
  /** The id of the panel, for the `popovertarget` of the button. */
  readonly id: string;
  readonly button: { current: HTMLButtonElement | null };
  readonly panel: { current: HTMLDivElement | null };
  /** The content of the panel is rendered when this becomes true. */
  readonly isOpen: Signal<boolean>;
  close(): void;
}

/** A popover of a component. Escape and a click elsewhere close it, and the focus goes back to its button. */
export function usePopover(side: 'left' | 'right'): Popover {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  useEffect(() => {
    const element = panel.current;
    if (element === null) return undefined;
    const before = (event: Event) => {
      isOpen.value = (event as ToggleEvent).newState === 'open';
    };
    const after = (event: Event) => {
      if ((event as ToggleEvent).newState !== 'open' || button.current === null) return;
      placePanel(element, button.current, side);
      element.querySelector<HTMLElement>('button, a, input')?.focus();
    };
    element.addEventListener('beforetoggle', before);
    element.addEventListener('toggle', after);
    return () => {
      element.removeEventListener('beforetoggle', before);
      element.removeEventListener('toggle', after);
    };
  }, [isOpen, side]);
  return useMemo(() => ({ id, button, panel, isOpen, close: () => panel.current?.hidePopover() }), [id, isOpen]);
}

import type { Signal } from '@preact/signals';

/** The visible part of the drawing: its upper left corner, and the pixels per unit. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const LARGEST_SCALE = 2;
/** Below this scale the texts are too small to read. */
const READABLE = 0.7;
const SMALLEST_SCALE = 0.1;

const within = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/** The scale at which a whole drawing fits into a frame; at most 1. */
export const scaleOf = (drawing: Size, frame: Size): number =>
  Math.min(frame.width / drawing.width, frame.height / drawing.height, 1);

/** The size of the buttons in the lower right corner, which must not hide a part of the drawing. */
const TOOLS: Size = { width: 120, height: 48 };

/** The part of a frame with buttons for a drawing in its middle: all of it if the drawing stands beside the buttons. */
export function roomWithTools(drawing: Size, frame: Size): Size {
  const isBeside = drawing.width * scaleOf(drawing, frame) <= frame.width - 2 * TOOLS.width;
  return isBeside ? frame : { ...frame, height: frame.height - TOOLS.height };
}

/** The view of the whole drawing, or of a readable part around a point. */
export function fit(drawing: Size, frame: Size, around?: { readonly x: number; readonly y: number }): View {
  const whole = scaleOf(drawing, frame);
  const scale = around === undefined ? Math.max(whole, SMALLEST_SCALE) : Math.max(whole, READABLE);
  const center = (point: number | undefined, length: number, room: number): number => {
    const seen = room / scale;
    if (seen >= length || point === undefined) return (length - seen) / 2;
    return within(point - seen / 2, 0, length - seen);
  };
  return {
    scale,
    x: center(around?.x, drawing.width, frame.width),
    y: center(around?.y, drawing.height, frame.height),
  };
}

/** Scales around a fixed point of the frame. */
export function zoom(view: View, factor: number, at: { readonly x: number; readonly y: number }): View {
  const scale = within(view.scale * factor, SMALLEST_SCALE, LARGEST_SCALE);
  return { scale, x: view.x + at.x / view.scale - at.x / scale, y: view.y + at.y / view.scale - at.y / scale };
}

const WHEEL = 0.0016;

/** Zooms by ctrl and wheel, and moves by dragging. Returns the function that removes the listeners. */
export function handle(element: HTMLElement, view: Signal<View>, touched: Signal<boolean>): () => void {
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    touched.value = true;
    const box = element.getBoundingClientRect();
    const at = { x: event.clientX - box.x, y: event.clientY - box.y };
    view.value = zoom(view.value, Math.exp(-event.deltaY * WHEEL), at);
  };
  let last: { readonly x: number; readonly y: number } | undefined;
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || (event.target as Element).closest('button') !== null) return;
    last = { x: event.clientX, y: event.clientY };
    element.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (last === undefined) return;
    const { x, y, scale } = view.value;
    touched.value = true;
    view.value = { scale, x: x - (event.clientX - last.x) / scale, y: y - (event.clientY - last.y) / scale };
    last = { x: event.clientX, y: event.clientY };
  };
  const up = () => {
    last = undefined;
  };
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up } as const;
  element.addEventListener('wheel', wheel, { passive: false });
  for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener as EventListener);
  return () => {
    element.removeEventListener('wheel', wheel);
    for (const [name, listener] of Object.entries(listeners)) {
      element.removeEventListener(name, listener as EventListener);
    }
  };
}

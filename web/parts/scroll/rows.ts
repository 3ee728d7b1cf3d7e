import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** The visible rows, and a few more on both sides. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

const OVERSCAN = 8;

class Rows {
  readonly range = signal<RowRange>({ from: 0, to: 40 });
  #element: HTMLElement | null = null;
  #height = 1;
  #count = 0;

  set(element: HTMLElement | null, height: number, count: number): void {
    this.#element = element;
    this.#height = height;
    this.#count = count;
    this.update();
  }

  readonly update = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = this.#element ?? {};
    const from = Math.max(0, Math.floor(scrollTop / this.#height) - OVERSCAN);
    const to = Math.min(this.#count, Math.ceil((scrollTop + clientHeight) / this.#height) + OVERSCAN);
    const { from: oldFrom, to: oldTo } = this.range.peek();
    if (from !== oldFrom || to !== oldTo) this.range.value = { from, to };
  };
}

/**
 * The style of an element of the class `rolled` that contains the rows [from, to): space for the other rows. The rows
 * themselves have no inline style, such as a position: Chromium would compare the style of each part of a row with those
 * of all earlier rows.
 */
export const roomOf = ({ from, to }: RowRange, count: number, height: number) => ({
  '--above': `${Math.min(from, count) * height}px`,
  '--below': `${Math.max(0, count - to) * height}px`,
});

/** The visible rows of a scrolled element with rows of equal height. */
export function useRows<Scroller extends HTMLElement = HTMLTableSectionElement>(
  height: number,
  count: number,
): { readonly range: ReadonlySignal<RowRange>; readonly scroller: { current: Scroller | null } } {
  const scroller = useRef<Scroller>(null);
  const rows = useMemo(() => new Rows(), []);
  useEffect(() => rows.set(scroller.current, height, count), [rows, height, count]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(rows.update);
    observer.observe(element);
    element.addEventListener('scroll', rows.update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', rows.update);
    };
  }, [rows]);
  return { range: rows.range, scroller };
}

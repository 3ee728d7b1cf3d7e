import type { Call } from '../http/call.ts';
import type { PortsOf, RouteId } from '../registry/routes/index.ts';

/** A page of a list that only grows. */
export interface CursorPage {
  /** The body of the plain GET. After a cursor it has only newer rows: `results: []` if there are none. */
  readonly reply: unknown;
  /** The position after this page, for the next call. URL-safe text. */
  readonly cursor: string;
}

/**
 * Reads a list that only grows from a cursor on, or from the beginning without one. Throws `malformed` for a cursor of
 * another list.
 */
export type CursorReader<Id extends RouteId> = (
  ports: PortsOf<Id>,
  call: Call<Id>,
  cursor: string | undefined,
) => Promise<CursorPage>;

import { CommandFailedError } from '../shell/command.ts';
import { at, rowsAt, textAt } from './replies.ts';
import type { Service } from './service.ts';

/** Which lines of a log: the newest ones, or those since a time. */
export interface LogRange {
  /** How many of the newest lines; undefined: all. */
  readonly tail?: number | undefined;
  /** Milliseconds since 1970; undefined: from the beginning. */
  readonly since?: number | undefined;
}

interface Position {
  readonly total: number;
  /** When the line at the offset was written, milliseconds since 1970; undefined: there is none. */
  readonly time: number | undefined;
}

async function read(service: Service, path: string, offset: number): Promise<Position> {
  const separator = path.includes('?') ? '&' : '?';
  const reply = await service.call('GET', `${path}${separator}limit=1&offset=${offset}`);
  const total = at(reply, 'pageInfo', 'total');
  if (typeof total !== 'number')
    throw new CommandFailedError('this server cannot read a part of a log; leave out the option');
  const [row] = rowsAt(reply) ?? [];
  return { total, time: row === undefined ? undefined : Date.parse(textAt(row, 't')) };
}

/**
 * The offset of the first line of a range. A log is ordered by time, so the first line since a time is found by bisection,
 * in about 20 requests for a million lines. Throws CommandFailedError, ServiceUnreachableError.
 */
export async function offsetOf(service: Service, path: string, { tail, since }: LogRange): Promise<number> {
  if (tail === undefined && since === undefined) return 0;
  const { total } = await read(service, path, 0);
  let first = tail === undefined ? 0 : Math.max(0, total - tail);
  let end = total;
  while (since !== undefined && first < end) {
    const middle = Math.floor((first + end) / 2);
    const { time } = await read(service, path, middle);
    if (time === undefined || time >= since) end = middle;
    else first = middle + 1;
  }
  return first;
}

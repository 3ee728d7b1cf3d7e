import type { Pause } from '../../domain/runs/waits.ts';
import type { ReturnedCall, Signal } from '../run/work.ts';

/** What a machine says of a wait: calls that returned, or the error that ended it; anything else says nothing. */
export type Brought =
  | readonly ReturnedCall[]
  | ReturnedCall
  | { readonly error: string; readonly cause?: string }
  | object;

const LATE = new Set(['States.Timeout', 'States.HeartbeatTimeout', 'Weft.Late']);

const DECIDED: Readonly<Record<string, 'won' | 'failed'>> = { 'Weft.Won': 'won', 'Weft.Failed': 'failed' };

const isCall = (value: object): value is ReturnedCall => 'i' in value && 'k' in value;

function ofError(error: string, cause: string): Signal {
  if (LATE.has(error)) return { kind: 'late' };
  const kind = DECIDED[error];
  if (kind === undefined) return { kind: 'broken', error, cause };
  return { kind, call: JSON.parse(cause) as ReturnedCall };
}

/** Reads what a machine brings to the pause that it names. */
export function toSignal(pause: Pause | undefined, brought: Brought | undefined): Signal {
  if (pause === undefined || !pause.isWaiting || brought === undefined) return { kind: 'due' };
  if (Array.isArray(brought)) return { kind: 'returned', calls: brought as readonly ReturnedCall[] };
  // A time that is over has no cause.
  if ('error' in brought) return ofError(String(brought.error), 'cause' in brought ? String(brought.cause) : '');
  if ('heard' in brought) return { kind: 'heard' };
  return isCall(brought) ? { kind: 'returned', calls: [brought] } : { kind: 'due' };
}

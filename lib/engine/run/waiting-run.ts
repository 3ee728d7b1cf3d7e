import type { Run } from '../../domain/runs/runs.ts';
import { isFulfilled, type Listening, type Wait } from '../../domain/runs/waits.ts';

/** Names a wait of a run. */
export interface WaitKey {
  readonly run: string;
  readonly number: number;
}

/** A run that stands at a wait. */
export type WaitingRun = Run & { readonly wait: Wait };

/** Whether a run stands at a wait; with a number, at that one. */
export const isWaiting = (run: Run | undefined, number?: number): run is WaitingRun =>
  run?.status === 'pending' && run.wait?.isWaiting === true && (number === undefined || run.wait.number === number);

/** A run that waits for events. */
export type ListeningRun = Run & { readonly wait: Wait & { readonly listening: Listening } };

/** Whether a run waits for events in the wait with this number. */
export const isListening = (run: Run, number: number): run is ListeningRun =>
  run.status === 'pending' && run.wait?.number === number && run.wait.listening !== undefined;

/** Whether a run has received the events that it waits for, and still waits. */
export const isFulfilledRun = (run: Run): run is ListeningRun =>
  run.status === 'pending' && run.wait?.listening !== undefined && isFulfilled(run.wait.listening);

import type { Move, Scene } from '../context/evaluation-context.ts';

/** How states of one type behave. Both methods throw StateFailure when the state fails. */
export interface Kind {
  /** The state has been entered, or is tried again. */
  enter(scene: Scene): Promise<Move>;
  /** What the state waited for has come: the result as JSON text. */
  leave?(scene: Scene, result: string): Promise<Move>;
  /** History events that Step Functions writes when the state begins to work and when its result is there. */
  readonly events: { readonly work: number; readonly result: number };
}

/** For states that do all at once. */
export const NO_EVENTS = { work: 0, result: 0 } as const;

/** For states whose result is `$states.result` and, without Output, goes on as it is. */
export function leaveWithResult(scene: Scene, result: string): Promise<Move> {
  const { fields, next } = scene.step;
  return scene.leave(fields, next, result, { result: JSON.parse(result) });
}

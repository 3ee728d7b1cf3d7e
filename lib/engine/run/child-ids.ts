import type { Run } from '../../domain/runs/runs.ts';
import type { CallKey } from '../../domain/runs/waits.ts';
import { derivedId, spreadAs } from '../../domain/storage/ids.ts';

/** The id of a child. It follows from the call, so a step that is repeated finds the child that it made before. */
export function childId(caller: Pick<Run, 'id' | 'step'>, origin: number, { i, k }: CallKey): string {
  return spreadAs(caller.id, derivedId(origin, caller.id, caller.step, i, k));
}

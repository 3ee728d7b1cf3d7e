import { type Scene, unfit } from '../context/evaluation-context.ts';
import { StateFailure } from '../context/failure.ts';
import { type Kind, NO_EVENTS } from './kind.ts';

export const fail: Kind = {
  events: NO_EVENTS,
  enter: async (scene) => {
    throw new StateFailure(await text(scene, 'Error'), await text(scene, 'Cause'));
  },
};

async function text(scene: Scene, field: 'Error' | 'Cause'): Promise<string | undefined> {
  const value = await scene.value(field);
  if (value === undefined || typeof value === 'string') return value;
  throw unfit(scene, field, 'text');
}

import { type Scene, unfit, whole } from '../context/evaluation-context.ts';
import { type Kind, NO_EVENTS } from './kind.ts';

export const wait: Kind = {
  events: NO_EVENTS,
  enter: async (scene) => ({ move: 'wait', due: await due(scene) }),
  leave: (scene) => scene.leave(scene.step.fields, scene.step.next, scene.thread.input),
};

async function due(scene: Scene): Promise<number> {
  const seconds = await whole(scene, 'Seconds', 0);
  return seconds === undefined ? timestamp(scene) : scene.clock.now() + seconds * 1000;
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

async function timestamp(scene: Scene): Promise<number> {
  const value = await scene.value('Timestamp');
  const time = typeof value === 'string' && RFC3339.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw unfit(scene, 'Timestamp', 'a time as in RFC 3339');
  return time;
}

import { type Kind, NO_EVENTS } from './kind.ts';

export const succeed: Kind = {
  events: NO_EVENTS,
  enter: (scene) => scene.leave(scene.step.fields, undefined, scene.thread.input),
};

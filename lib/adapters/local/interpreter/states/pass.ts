import { type Kind, NO_EVENTS } from './kind.ts';

export const pass: Kind = {
  events: NO_EVENTS,
  enter: (scene) => scene.leave(scene.step.fields, scene.step.next, scene.thread.input),
};

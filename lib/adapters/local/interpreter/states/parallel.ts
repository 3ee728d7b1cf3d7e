import { textWithin } from '../context/limits.ts';
import { type Kind, leaveWithResult } from './kind.ts';

export const parallel: Kind = {
  events: { work: 1, result: 1 },
  enter: async (scene) => {
    const total = scene.step.programs.length;
    const input = scene.has('Arguments')
      ? textWithin(scene.limits.bytes, 'the arguments', await scene.value('Arguments'))
      : scene.thread.input;
    return { move: 'fork', plan: { total, width: total, input } };
  },
  leave: leaveWithResult,
};

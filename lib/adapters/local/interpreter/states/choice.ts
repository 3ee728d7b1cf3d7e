import { type Scene, unfit } from '../context/evaluation-context.ts';
import { ERRORS, StateFailure } from '../context/failure.ts';
import type { Rule } from '../program/program.ts';
import { type Kind, NO_EVENTS } from './kind.ts';

export const choice: Kind = {
  events: NO_EVENTS,
  enter: async (scene) => {
    const rule = await chosen(scene);
    if (rule) return scene.leave(rule.fields, rule.next, scene.thread.input);
    const { fallback, fields, name } = scene.step;
    if (fallback) return scene.leave(fields, fallback, scene.thread.input);
    throw new StateFailure(ERRORS.noChoice, `no rule of the state ${name} holds and it has no Default`);
  },
};

async function chosen(scene: Scene): Promise<Rule | undefined> {
  for (const rule of scene.step.rules) {
    const holds = await scene.fill(rule.condition, 'Condition');
    if (typeof holds !== 'boolean') throw unfit(scene, 'Condition', 'true or false');
    if (holds) return rule;
  }
  return undefined;
}

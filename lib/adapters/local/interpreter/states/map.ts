import { type Move, type Scene, unfit, whole } from '../context/evaluation-context.ts';
import { textWithin } from '../context/limits.ts';
import { type Kind, leaveWithResult } from './kind.ts';

export const map: Kind = {
  events: { work: 1, result: 1 },
  enter: async (scene) => {
    const items = scene.has('Items') ? await scene.value('Items') : scene.input;
    if (!Array.isArray(items)) throw unfit(scene, 'Items', 'an array');
    const { mapWidth } = scene.limits;
    const width = Math.min((await whole(scene, 'MaxConcurrency', 0)) || mapWidth, mapWidth);
    return { move: 'fork', plan: { total: items.length, width, items } };
  },
  leave: leaveWithResult,
};

/** The input of one iteration, chosen in the scope and with the input of the Map itself. Throws StateFailure. */
export async function selectItem(scene: Scene, item: unknown): Promise<Move> {
  const value = scene.has('ItemSelector') ? await scene.value('ItemSelector') : item;
  return { move: 'begin', input: textWithin(scene.limits.bytes, 'the item', value) };
}

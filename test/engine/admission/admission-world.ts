import { isQueued } from '../../../lib/domain/runs/runs.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';

/** The runs by the number in their input, with their statuses. */
export async function runs(world: World): Promise<string[]> {
  const found = await runsOf(world);
  const shown = found.map((run) => {
    const { n } = JSON.parse(Buffer.from(run.input).toString());
    return { n, text: `${n} ${isQueued(run) ? 'queued' : run.status}` };
  });
  return shown.sort((a, b) => a.n - b.n).map(({ text }) => text);
}

import { isQueued } from '../../../lib/domain/runs/runs.ts';
import { concurrencyShards } from '../../../lib/domain/storage/keys/concurrency-keys.ts';
import { readAll } from '../../../lib/domain/storage/queries.ts';
import type { World } from '../world/engine-world.ts';
import { runsOf } from '../world/snapshot.ts';

/** The runs by the number in their input, with their statuses. */
export async function shown(world: World): Promise<string[]> {
  const found = await runsOf(world);
  const numbered = found.map((run) => {
    const { n } = JSON.parse(Buffer.from(run.input).toString());
    return { n, text: `${n} ${isQueued(run) ? 'queued' : run.status}` };
  });
  return numbered.sort((a, b) => a.n - b.n).map(({ text }) => text);
}

/** The sort keys of the holders and the queues that are left, of the workflows of all runs. */
export async function rowsOf(world: World): Promise<string[]> {
  const workflows = new Set((await runsOf(world)).map(({ workflowId }) => workflowId));
  const shards = [...workflows].flatMap((id) => concurrencyShards(id));
  const items = await Promise.all(shards.map((shard) => readAll(world.reliable.table, shard)));
  return items.flat().map(({ sk }) => sk);
}

import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { logParts, type Run } from '../../../lib/domain/runs/runs.ts';
import { type Act, ActingContainers } from '../world/acting-containers.ts';
import { World, type WorldOptions } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

/** The functions `f` and `g`, containers of these images, before the states of a workflow. */
export const workflowOf = (states: string, before = ''): string =>
  `${before}functions:
- {id: f, type: knative-workflow, image: example/f}
- {id: g, type: reusable, image: example/g}
- {id: kid, type: subflow, workflow: kid}
states:
${states}`;

/** One run of `main`, with containers that act. */
export interface Told {
  readonly main: Run;
  /** Every run that lists show. */
  readonly shown: readonly Run[];
  readonly containers: ActingContainers;
  readonly log: readonly string[];
  /** The whole log, each line with its level. */
  readonly lines: readonly string[];
  readonly world: World;
}

const worlds: World[] = [];

/** Closes what the tests opened. */
export async function closeWorlds(): Promise<void> {
  for (const world of worlds.splice(0)) await world.close();
}

export function openWorld(database: LocalTable, containers: ActingContainers, options: WorldOptions = {}): World {
  const world = new World(database, { ...options, containers });
  worlds.push(world);
  return world;
}

export async function linesOf(world: World, run: Run): Promise<{ level: string; text: string }[]> {
  const lines: { level: string; text: string }[] = [];
  for await (const part of logParts(world.immortal, run)) lines.push(...part);
  return lines;
}

export async function tell(world: World, containers: ActingContainers, id: string): Promise<Told> {
  const shown = await runsOf(world);
  const main = shown.find((one) => one.id === id);
  if (main === undefined) throw new Error('the run is gone');
  const lines = await linesOf(world, main);
  const log = lines.map(({ text }) => text);
  return { main, shown, containers, log, lines: lines.map(({ level, text }) => `${level} ${text}`), world };
}

interface Given {
  readonly act?: Act;
  readonly input?: unknown;
  /** The source of the subflow. */
  readonly kid?: string;
  /** Why no container can run. */
  readonly problem?: string;
}

/** Runs `main` to its end, and whatever else goes on. */
export async function run(
  database: LocalTable,
  main: string,
  { act, input = {}, kid, problem }: Given = {},
): Promise<Told> {
  const containers = new ActingContainers(act);
  containers.script.problem = problem;
  const world = openWorld(database, containers);
  await world.store({ main, ...(kid === undefined ? {} : { kid }) });
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass();
  const left = unfinishedOf(world);
  if (left.length > 0) throw new Error(`executions still run: ${left.join()}`);
  return tell(world, containers, id);
}

/** A UUID as the log shows it, in the place of which a test has a word. */
export const withoutIds = (text: string): string =>
  text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID');

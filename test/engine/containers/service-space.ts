import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { logParts, type Run } from '../../../lib/domain/runs/runs.ts';
import { World, type WorldOptions } from '../world/engine-world.ts';
import { type Behaviour, ProgrammedContainers } from '../world/programmed-containers.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

/** A workflow of these states, with the functions `f` and `g`, which are containers, and the subflow `kid`. */
export const workflowOf = (states: string, before = ''): string =>
  `${before}functions:
- {id: f, type: knative-workflow, image: example/f}
- {id: g, type: reusable, image: example/g}
- {id: kid, type: subflow, workflow: kid}
states:
${states}`;

/** A run of `main`, and its outcome. */
export interface Observed {
  readonly main: Run;
  /** The runs that lists show. */
  readonly shown: readonly Run[];
  readonly containers: ProgrammedContainers;
  /** The texts of the log. */
  readonly log: readonly string[];
  /** The log, each line with its level. */
  readonly lines: readonly string[];
  readonly world: World;
}

const worlds: World[] = [];

/** Closes the worlds that a test opened. */
export async function closeWorlds(): Promise<void> {
  for (const world of worlds.splice(0)) await world.close();
}

export function openWorld(database: LocalTable, containers: ProgrammedContainers, options: WorldOptions = {}): World {
  const world = new World(database, { ...options, containers });
  worlds.push(world);
  return world;
}

export async function linesOf(world: World, run: Run): Promise<{ level: string; text: string }[]> {
  const lines: { level: string; text: string }[] = [];
  for await (const part of logParts(world.reliable, run)) lines.push(...part);
  return lines;
}

/** The run with that id, and its outcome so far. */
export async function observe(world: World, containers: ProgrammedContainers, id: string): Promise<Observed> {
  const shown = await runsOf(world);
  const main = shown.find((one) => one.id === id);
  if (main === undefined) throw new Error('there is no such run');
  const lines = await linesOf(world, main);
  const log = lines.map(({ text }) => text);
  return { main, shown, containers, log, lines: lines.map(({ level, text }) => `${level} ${text}`), world };
}

interface Given {
  readonly act?: Behaviour;
  readonly input?: unknown;
  /** The source of the subflow. */
  readonly kid?: string;
  /** Why no container can run: the problem of the port. */
  readonly problem?: string;
}

/** Runs `main`, and everything that it starts, to the end. */
export async function run(
  database: LocalTable,
  main: string,
  { act, input = {}, kid, problem }: Given = {},
): Promise<Observed> {
  const containers = new ProgrammedContainers(act);
  containers.script.problem = problem;
  const world = openWorld(database, containers);
  await world.store({ main, ...(kid === undefined ? {} : { kid }) });
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass();
  const left = unfinishedOf(world);
  if (left.length > 0) throw new Error(`executions still run: ${left.join()}`);
  return observe(world, containers, id);
}

/** A text with `ID` in place of every UUID. */
export const withoutIds = (text: string): string =>
  text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID');

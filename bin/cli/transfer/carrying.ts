import { CommandFailedError } from '../shell/command.ts';
import { type Act, perform } from './acts.ts';
import { type Item, mapSome } from './plan.ts';
import type { Remote } from './remote.ts';

/** What became of an item. */
export interface Done {
  readonly item: Item;
  /** Why it was not done, or not wholly. */
  readonly failure?: string;
}

async function attempt(remote: Remote, acts: readonly Act[], { names }: Item): Promise<string | undefined> {
  try {
    for (const act of acts) await perform(remote, act, names);
    return undefined;
  } catch (error) {
    if (error instanceof CommandFailedError) return error.message;
    throw error;
  }
}

/** Values from this size on are sent one by one, so that no two of them are held at once. Bytes. */
const LARGE = 1024 * 1024;

const isLarge = ({ acts }: Item): boolean =>
  acts.some((act) => act.do === 'set-variable' && act.variable.size >= LARGE);

/** Of what stands on others, these go first and one after the other. */
const FIRST: readonly Item['kind'][] = ['namespace', 'directory'];
const SECOND: readonly Item['kind'][] = ['workflow'];

/**
 * Carries out a plan: namespace and directories, workflows, variables, and at last what lets workflows run. What the
 * service refuses is told and the rest goes on; done again, the plan of what is left does the rest. Throws
 * ServiceUnreachableError.
 */
export async function carryOut(remote: Remote, plan: readonly Item[], tell: (done: Done) => void): Promise<Done[]> {
  const failures = new Map<Item, string>();
  const run = async (one: Item, acts: readonly Act[]) => {
    const failure = failures.has(one) ? undefined : await attempt(remote, acts, one);
    if (failure !== undefined) failures.set(one, failure);
  };
  const parts = {
    first: plan.filter(({ kind }) => FIRST.includes(kind)),
    second: plan.filter(({ kind }) => SECOND.includes(kind)),
    rest: plan.filter(({ kind }) => !FIRST.includes(kind) && !SECOND.includes(kind)),
  };
  for (const one of parts.first) await run(one, one.acts);
  await mapSome(parts.second, (one) => run(one, one.acts));
  const small = parts.rest.filter((one) => !isLarge(one));
  await mapSome(small, (one) => run(one, one.acts));
  for (const one of parts.rest.filter(isLarge)) await run(one, one.acts);
  await mapSome(parts.second, (one) => run(one, one.closing));
  await mapSome(parts.rest, (one) => run(one, one.closing));
  return plan.map((one) => {
    const failure = failures.get(one);
    const done = { item: one, ...(failure === undefined ? {} : { failure }) };
    tell(done);
    return done;
  });
}

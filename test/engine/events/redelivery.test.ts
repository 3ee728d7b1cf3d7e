import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import type { Outcome } from '../../../lib/compiler/emit/task-protocol.ts';
import type { StepInput } from '../../../lib/engine/tasks/step.ts';
import { type Specimen, specimens } from '../world/corpus.ts';
import { type Deliver, openDatabase, World } from '../world/engine-world.ts';
import { snapshotOf, unfinishedOf } from '../world/snapshot.ts';

type Step = (input: StepInput) => Promise<Outcome>;
type Settled = { readonly outcome: Outcome } | { readonly error: { readonly name: string; readonly message: string } };

let database: LocalTable;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

async function settle(step: Step, input: StepInput): Promise<Settled> {
  try {
    return { outcome: await step(input) };
  } catch (thrown) {
    const { name, message } = thrown as Error;
    return { error: { name, message } };
  }
}

function unsettle(settled: Settled): Outcome {
  if ('outcome' in settled) return settled.outcome;
  throw Object.assign(new Error(settled.error.message), { name: settled.error.name });
}

/** Whether another call processed the run concurrently. */
const isRetry = (settled: Settled): boolean => 'error' in settled && settled.error.name === 'Weft.Again';

/** The results of the two deliveries of each step. */
let answers: [Settled, Settled][] = [];

/** The ways in which a call of the steps function may be delivered more than once. */
const DELIVERIES: Readonly<Record<string, () => Deliver>> = {
  'twice in a row': () => async (input, step) => {
    const first = await settle(step, input);
    const second = await settle(step, input);
    if (!isRetry(first)) answers.push([first, second]);
    return unsettle(second);
  },
  'twice at once, and the second one counts': () => async (input, step) => {
    const [, second] = await Promise.all([settle(step, input), settle(step, input)]);
    return unsettle(second);
  },
  'again after the next one': () => {
    let former: StepInput | undefined;
    return async (input, step) => {
      const settled = await settle(step, input);
      if (former !== undefined) await settle(step, former);
      former = input;
      return unsettle(settled);
    };
  },
};

async function outcomeOf({ sources, input }: Specimen, deliver?: Deliver) {
  const world = new World(database, deliver === undefined ? {} : { deliver });
  try {
    await world.store(sources);
    await world.execute('main', input);
    await world.pass();
    return { ...(await snapshotOf(world)), executions: unfinishedOf(world), counted: world.counted };
  } finally {
    await world.close();
  }
}

describe.each(Object.entries(DELIVERIES))(
  'a step that is delivered %s does not change the result of',
  (_how, deliver) => {
    test.each(specimens.map((specimen) => [specimen.name, specimen] as const))('%s', async (_name, specimen) => {
      answers = [];
      const found = await outcomeOf(specimen, deliver());
      for (const [first, second] of answers) expect(second).toEqual(first);
      expect(found).toEqual(await outcomeOf(specimen));
    });
  },
);

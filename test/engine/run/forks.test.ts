import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import { stepsWithData } from '../../../lib/domain/instances/timeline.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { rerun } from '../../../lib/engine/requests/start/rerun.ts';
import { specimens } from '../world/corpus.ts';
import { openDatabase, World } from '../world/engine-world.ts';

let database: LocalTable;
let world: World;
beforeAll(async () => {
  database = await openDatabase();
});
beforeEach(() => {
  world = new World(database);
});
afterEach(() => world.close());
afterAll(() => database.close());

async function end({ id }: runs.Run): Promise<runs.Run> {
  await world.pass();
  const ended = await runs.find(world.reliable, id);
  if (ended === undefined) throw new Error('the run is gone');
  return ended;
}

const outcomeOf = ({ status, code, message, data }: runs.Run) => ({ status, code, message, data });

// Of these, a repetition does not see what its children or variables were at that state.
const STATEFUL = /variable|retr|getter|setter|scope|namespace|event/;

const KID = 'functions: [{id: kid, type: subflow, workflow: kid}]\n';
const KIDS = {
  kid: `states:
- {id: judge, type: switch, conditions: [{condition: 'jq(.n > 2)', transition: bad}], defaultTransition: good}
- {id: good, type: noop, transform: 'jq({double: (.n * 2)})'}
- {id: bad, type: error, error: kid.bad, message: '%v is too much', args: ['jq(.n)']}
`,
};

/** Further workflows: the source of `main` and its input. */
const FURTHER: Readonly<Record<string, readonly [source: string, input: object]>> = {
  'a chain that drops and adds members': [
    `states:
- {id: a, type: noop, transform: 'jq(del(.x) | .y = [1, {z: null}])', transition: b}
- {id: b, type: noop, transform: 'jq({y, "a/b~c": 1, "": 2})', transition: c}
- {id: c, type: noop, transform: 'jq(.y += ["ü"])'}
`,
    { x: 1 },
  ],
  'a transform in JavaScript': [
    `states:
- {id: a, type: noop, transform: 'js(return {n: data.n + 1})', transition: b}
- {id: b, type: noop, transform: {deep: {n: 'js(return data.n * 2)', text: 'n is jq(.n)'}}}
`,
    { n: 3 },
  ],
  'private members': [
    `states:
- {id: a, type: noop, transform: 'jq({private: {t: .t}, n: 1})', transition: b}
- {id: b, type: noop, transform: 'jq({n: (.private.t + .n)})'}
`,
    { t: 4 },
  ],
  'a switch over all of its ways': [
    `states:
- {id: a, type: switch, conditions: [{condition: 'jq(.n == 1)', transition: b, transform: 'jq({n: 2})'}, {condition: 'jq(.n == 2)', transition: c}], defaultTransition: d, defaultTransform: 'jq({n: 1})'}
- {id: b, type: noop, transition: a}
- {id: c, type: noop, transform: 'jq({done: .n})'}
- {id: d, type: noop, transition: a}
`,
    {},
  ],
  'a loop that counts to nine': [
    `states:
- {id: a, type: noop, transform: 'jq(.n += 1)', transition: b}
- {id: b, type: switch, conditions: [{condition: 'jq(.n < 9)', transition: a}]}
`,
    { n: 0 },
  ],
  'an error state in the middle': [
    `states:
- {id: a, type: noop, transition: b}
- {id: b, type: error, error: my.code, message: 'no %s', args: ['jq(.why)'], transition: c}
- {id: c, type: noop, transform: 'jq({after: .why})'}
`,
    { why: 'reason' },
  ],
  'an error that is caught, and its code used': [
    `states:
- {id: a, type: noop, transform: 'jq(.x.y.z | error)', catch: [{error: 'service.jq.*', transition: b}]}
- {id: b, type: noop, transform: 'jq({code: .error.code})', transition: c}
- {id: c, type: noop, transform: 'jq({code: .code, n: 1})'}
`,
    { x: 1 },
  ],
  'an error that no pattern catches': [
    `states:
- {id: a, type: noop, transition: b}
- {id: b, type: noop, transform: 'jq(.x | keys)', catch: [{error: 'other.*', transition: a}]}
`,
    { x: 1 },
  ],
  'a validation that fails and is caught': [
    `states:
- {id: a, type: validate, schema: {type: object, required: [id]}, catch: [{error: 'service.schema.*', transition: b}]}
- {id: b, type: noop, transform: 'jq({id: "none", was: .error.code})', transition: c}
- {id: c, type: validate, schema: {type: object, required: [id]}}
`,
    {},
  ],
  'two delays': [
    `states:
- {id: a, type: delay, duration: PT2S, transform: 'jq({n: 1})', transition: b}
- {id: b, type: delay, duration: PT3S, transform: 'jq({n: (.n + 1)})', transition: c}
- {id: c, type: noop, log: 'jq(.n)'}
`,
    {},
  ],
  'calls one after the other': [
    `${KID}states:
- {id: a, type: action, action: {function: kid, input: {n: 1}}, transform: 'jq({first: .return.double})', transition: b}
- {id: b, type: action, action: {function: kid, input: {n: 'jq(.first)'}}, transform: 'jq({first, second: .return.double})'}
`,
    {},
  ],
  'a call that fails and is caught, then one that succeeds': [
    `${KID}states:
- {id: a, type: action, action: {function: kid, input: {n: 7}}, catch: [{error: kid.bad, transition: b}]}
- {id: b, type: action, action: {function: kid, input: {n: 2}}, transform: 'jq({msg: .error.msg, r: .return})'}
`,
    {},
  ],
  'a foreach with its results': [
    `${KID}states:
- {id: a, type: foreach, array: 'jq([range(3) | {n: .}])', action: {function: kid}, transform: 'jq({all: [.return[].double]})', transition: b}
- {id: b, type: noop, transform: 'jq({sum: (.all | add)})'}
`,
    {},
  ],
  'calls in parallel, the first result': [
    `${KID}states:
- {id: a, type: parallel, mode: or, actions: [{function: kid, input: {n: 9}}, {function: kid, input: {n: 1}}], transition: b}
- {id: b, type: noop, transform: 'jq({has: (.return != null)})'}
`,
    {},
  ],
};

const WORKFLOWS = [
  ...specimens.filter(({ name }) => !STATEFUL.test(name)).map(({ name, sources, input }) => ({ name, sources, input })),
  ...Object.entries(FURTHER).map(([name, [main, input]]) => ({
    name,
    sources: { ...KIDS, main } as Readonly<Record<string, string>>,
    input: JSON.stringify(input),
  })),
];

describe('a run from each of its states', () => {
  test('is tried with 40 workflows at least', () => {
    expect(WORKFLOWS.length).toBeGreaterThanOrEqual(40);
  });

  test.each(WORKFLOWS.map((one) => [one.name, one] as const))('ends as it did: %s', async (_, { sources, input }) => {
    await world.store(sources);
    const ended = await end(await world.execute('main', input));
    const steps = await stepsWithData(world.reliable, ended);
    const lastVisits = new Map(steps.map(({ step }) => [step.state, step.n]));
    let forks = 0;
    for (const { step, before } of steps) {
      if (before === undefined || lastVisits.get(step.state) !== step.n) continue;
      const wanted = { from: step.state, revision: 'pinned', patch: [], repeat: 'failed' } as const;
      const again = await end((await rerun(world.ports, ended, wanted)).run);
      expect(outcomeOf(again), step.state).toEqual(outcomeOf(ended));
      forks += 1;
    }
    expect(forks).toBeGreaterThan(0);
  });
});

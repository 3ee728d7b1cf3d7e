import { expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { coverageOf } from '../../lib/testing/coverage.ts';
import type { ObservedRun } from '../../lib/testing/observation.ts';

const SOURCE = `
functions: [{id: f, type: subflow, workflow: f}]
states:
- id: a
  type: switch
  conditions: [{condition: jq(.x), transition: b}, {condition: jq(.y)}]
  defaultTransition: c
- id: b
  type: action
  action: {function: f}
  catch: [{error: e.one, transition: c}, {error: '*', transition: c}]
- {id: c, type: noop}
`;

const run = (states: readonly string[], caught: ObservedRun['caught'] = []): ObservedRun => ({
  path: 'main',
  status: 'complete',
  states,
  transitions: states.map((state, index) => [state, states[index + 1]]),
  caught,
});

function coverage(runs: readonly ObservedRun[], source = SOURCE) {
  const compiled = compile(source);
  if ('problems' in compiled) throw new Error(JSON.stringify(compiled.problems));
  return coverageOf(compiled.plan, runs);
}

test('coverage counts states, transitions and catches, and names what was not reached', () => {
  expect(coverage([run(['a', 'c'])])).toEqual({
    states: { reached: 2, total: 3, missed: ['b'] },
    transitions: { reached: 2, total: 5, missed: ['a → b', 'a → the end', 'b → the end'] },
    catches: { reached: 0, total: 2, missed: ['b: catch[0] e.one', 'b: catch[1] *'] },
  });
});

test('coverage adds up the runs, and counts a catch by its place in the list', () => {
  const runs = [run(['a', 'b']), run(['a']), run(['a', 'b', 'c'], [{ state: 'b', index: 1 }])];
  expect(coverage(runs)).toEqual({
    states: { reached: 3, total: 3, missed: [] },
    transitions: { reached: 4, total: 5, missed: ['a → c'] },
    catches: { reached: 1, total: 2, missed: ['b: catch[0] e.one'] },
  });
});

test('coverage counts an entry of the catch list of the workflow once', () => {
  const source = `
catch: [{error: e.one, transition: c}, {error: '*', transition: c}]
states:
- {id: a, type: noop, transition: b}
- {id: b, type: noop, catch: [{error: own, transition: c}]}
- {id: c, type: noop}
`;
  const caught = [{ state: 'b', index: 2 }];
  expect(coverage([run(['a', 'b', 'c'], caught)], source).catches).toEqual({
    reached: 1,
    total: 3,
    missed: ['catch of the workflow: e.one', 'b: catch[0] own'],
  });
});

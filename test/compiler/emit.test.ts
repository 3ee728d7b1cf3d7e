import { describe, expect, test } from 'vitest';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { planOf } from './texts.ts';

const namesOf = (yaml: string): string[] => Object.keys(emit(planOf(yaml)).definition.States);
const tierOf = (yaml: string): string => emit(planOf(yaml)).tier;

describe('the machine of a workflow', () => {
  test('is one task, named after the first and the last state', () => {
    expect(namesOf('states: [{id: one, type: noop}]')).toEqual(['one']);
    expect(namesOf('states: [{id: one, type: noop, transition: two}, {id: two, type: noop}]')).toEqual(['one … two']);
  });

  test('has names that Step Functions takes, however long those of the states are', () => {
    const long = 'x'.repeat(200);
    const [name = ''] = namesOf(`states: [{id: ${long}, type: noop}, {id: ${long}y, type: noop}]`);
    expect(name).toHaveLength(80);
  });

  test('holds nothing of the data: the task is given the id of the run', () => {
    const { definition } = emit(planOf('states: [{id: one, type: noop, transform: {secret: 1}}]'));
    expect(JSON.stringify(definition)).not.toContain('secret');
    expect(definition.States['one']).toMatchObject({
      Arguments: { Payload: { run: '{% $states.context.Execution.Input.run %}' } },
      End: true,
    });
  });

  test.each([
    ['a wait', '{id: b, type: delay, duration: PT1S}'],
    ['a loop over elements', '{id: b, type: foreach, array: "jq(.x)", action: {function: f}}'],
    [
      'states that lead to each other',
      '{id: b, type: delay, duration: PT1S, transition: c}, {id: c, type: delay, duration: PT1S, transition: b}',
    ],
  ])('leaves out %s to which nothing leads', (_, states) => {
    const functions = 'functions: [{id: f, type: subflow, workflow: w}]';
    const names = namesOf(`${functions}\nstates: [{id: a, type: delay, duration: PT1S}, ${states}]`);
    expect(names).toContain('a');
    expect(names.filter((name) => /^[bc]/.test(name))).toEqual([]);
  });

  test.each([
    ['EXPRESS', 'that never waits and never turns back', '[{id: a, type: noop, transition: b}, {id: b, type: noop}]'],
    ['STANDARD', 'that may turn back', '[{id: a, type: noop, catch: [{error: x, transition: a}]}]'],
    ['STANDARD', 'that waits', '[{id: a, type: delay, duration: PT1S}]'],
  ])('is %s for a workflow %s', (tier, _, states) => {
    expect(tierOf(`states: ${states}`)).toBe(tier);
  });
});

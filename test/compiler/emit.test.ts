import { describe, expect, test } from 'vitest';
import { emit } from '../../lib/compiler/emit/emit.ts';
import { planOf } from './texts.ts';

const namesOf = (yaml: string): string[] => Object.keys(emit(planOf(yaml)).definition.States);
const tierOf = (yaml: string): string => emit(planOf(yaml)).tier;

describe('the machine of a workflow', () => {
  test('is one task, whose name consists of the first and the last state', () => {
    expect(namesOf('states: [{id: one, type: noop}]')).toEqual(['one']);
    expect(namesOf('states: [{id: one, type: noop, transition: two}, {id: two, type: noop}]')).toEqual(['one … two']);
  });

  test('has names of at most 80 characters, however long the ids of the states are', () => {
    const long = 'x'.repeat(200);
    const [name = ''] = namesOf(`states: [{id: ${long}, type: noop}, {id: ${long}y, type: noop}]`);
    expect(name).toHaveLength(80);
  });

  test('contains no data: the payload of the task is the id of the run', () => {
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
  ])('leaves out %s that no transition reaches', (_, states) => {
    const functions = 'functions: [{id: f, type: subflow, workflow: w}]';
    const names = namesOf(`${functions}\nstates: [{id: a, type: delay, duration: PT1S}, ${states}]`);
    expect(names).toContain('a');
    expect(names.filter((name) => /^[bc]/.test(name))).toEqual([]);
  });

  test.each([
    ['EXPRESS', 'without waits and loops', '[{id: a, type: noop, transition: b}, {id: b, type: noop}]'],
    ['STANDARD', 'with a loop', '[{id: a, type: noop, catch: [{error: x, transition: a}]}]'],
    ['STANDARD', 'with a wait', '[{id: a, type: delay, duration: PT1S}]'],
  ])('is %s for a workflow %s', (tier, _, states) => {
    expect(tierOf(`states: ${states}`)).toBe(tier);
  });
});

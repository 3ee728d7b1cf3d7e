import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { completionsAt, type Schema } from '../../web/data/workflow/completions.ts';

const schema = JSON.parse(readFileSync('docs/workflow.schema.json', 'utf8')) as Schema;

/** The labels that are offered at the mark `|` of a text. */
function offered(marked: string): readonly string[] {
  const at = marked.indexOf('|');
  return (completionsAt(schema, marked.replace('|', ''), at)?.options ?? []).map(({ label }) => label);
}

describe('completions of a workflow', () => {
  test('are its own fields at the left edge', () => {
    expect(offered('sta|')).toEqual(Object.keys(schema.properties ?? {}));
  });

  test('are the fields of a state by its type, wherever the type stands', () => {
    const before = offered('states:\n- id: a\n  type: delay\n  |\n');
    expect(before).toContain('duration');
    expect(before).not.toContain('conditions');
    expect(offered('states:\n- |\n  type: switch\n- type: delay\n')).toContain('conditions');
    expect(offered('states:\n- id: a\n  |\n')).toEqual(expect.arrayContaining(['type', 'duration', 'conditions']));
  });

  test('are the fields inside of fields, at every depth', () => {
    expect(offered('states:\n- type: action\n  action:\n    retries:\n      |')).toEqual([
      'max_attempts',
      'delay',
      'multiplier',
      'codes',
    ]);
    expect(offered('states:\n- type: foreach\n  catch:\n  - |')).toEqual(['error', 'transition']);
    expect(offered('timeouts:\n  |')).toEqual(['interrupt', 'kill', 'handlers']);
  });

  test('are the values of a field: types by their first name, words, yes or no', () => {
    const types = offered('states:\n- id: a\n  type: |');
    expect(types).toEqual(expect.arrayContaining(['noop', 'eventsAnd', 'approval']));
    expect(types).not.toContain('eventAnd');
    expect(offered('functions:\n- type: |')).toContain('worker');
    expect(offered('states:\n- type: parallel\n  mode: |')).toEqual(['and', 'or']);
    expect(offered('states:\n- type: action\n  async: |')).toEqual(['true', 'false']);
  });

  test('are the ids of states and functions where one is named', () => {
    const text =
      'functions:\n- id: f\n  type: subflow\nstates:\n- id: a\n  type: noop\n  transition: |\n- {id: b, type: noop}\n';
    expect(offered(text)).toEqual(['a', 'b']);
    expect(offered(`${text.replace('|', 'b')}- type: action\n  action:\n    function: |`)).toEqual(['f']);
  });

  test('have a sentence about each field', () => {
    const [first] = completionsAt(schema, 'labels', 6)?.options.filter(({ label }) => label === 'labels') ?? [];
    expect(first).toMatchObject({ insert: 'labels: ', about: schema.properties?.['labels']?.description });
  });
});

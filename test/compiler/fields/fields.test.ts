import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile } from '../../../lib/compiler/compile.ts';
import { pathsOf, textWith, VALUES, WORKFLOWS } from './corpus.ts';

/** Verdicts that differ, a field with its values, by reason. */
const DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  'A null element is refused; the original takes it for an empty text or map.': [
    ...['start eventsXor: start.events', 'start eventsAnd: start.events', 'switch: states.0.conditions'],
    ...['action: states.0.action', 'foreach: states.0.action', 'parallel: states.0.actions.0'].flatMap((action) => [
      `${action}.secrets`,
      `${action}.retries.codes`,
    ]),
    ...['foreach: states.0.action.files', 'error: states.0.args'],
  ].flatMap((field) => [`${field} = [null]`, `${field}.0 = null`]),
  'A foreach without an array is refused; in the original, every run of it fails.': [
    'foreach: states.0.array = absent | null',
  ],
  'A computed path of a subflow is refused without the allowed ones; in the original, every call of it fails.':
    Object.keys(WORKFLOWS)
      .filter((name) => JSON.stringify(WORKFLOWS[name]).includes('"type":"subflow"'))
      .map((name) => `${name}: functions.0.workflow = "jq(.a)"`),
  'A media type is a text.': [
    'setter: states.0.variables.0.mimeType = [] | {} | 0 | 1 | -1 | 1.5 | 1e+30 | true | false | [null] | [""] | ["x"] | ' +
      '[1] | [{}] | [[]] | {"a":1} | {"a":null}',
  ],
  'An empty list is refused, as the meta-schema of draft 7 says.': ['validate: states.0.schema.type = []'],
};

test('each field of the language accepts the values that the original accepts, but for a list of differences', () => {
  const verdicts = readFileSync(join(import.meta.dirname, 'verdicts.txt'), 'utf8')
    .trimEnd()
    .split('\n');
  const differing: string[] = [];
  for (const [name, workflow] of Object.entries(WORKFLOWS)) {
    for (const path of pathsOf(workflow)) {
      const [letters = '', ...field] = verdicts.shift()?.split(' ') ?? [];
      expect(field.join(' ')).toBe(`${name}: ${path.join('.')}`);
      const values = VALUES.filter((value, index) => {
        const isStored = 'plan' in compile(textWith(workflow, path, value));
        return letters[index] !== (isStored ? 'v' : 'r');
      });
      if (values.length > 0) differing.push(`${field.join(' ')} = ${values.map((one) => one ?? 'absent').join(' | ')}`);
    }
  }
  expect(verdicts).toEqual([]);
  expect(differing.toSorted()).toEqual(Object.values(DIFFERENCES).flat().toSorted());
});

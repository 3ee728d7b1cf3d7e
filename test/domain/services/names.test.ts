import { describe, expect, test } from 'vitest';
import { pathLabel, revisionId, shownName, toGeneration, versionOf } from '../../../lib/domain/services/names.ts';

describe('the id of a revision in the port of containers', () => {
  test.each([
    ['namespace-demo-fast', 1],
    [`namespace-${'n'.repeat(64)}-${'s'.repeat(64)}`, 1],
    ['namespace-a_b.C-x', 12345],
    ['workflow-18446744073709551615-a.step_of-a.long.name.that.does.not.end.soon', 99999],
  ])('of %s, generation %i, is short and has only allowed characters', (service, generation) => {
    expect(revisionId('one', service, generation)).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
  });

  test('differs for services with equal names, and for generations', () => {
    const ids = ['one', 'two'].flatMap((id) =>
      [1, 2].map((generation) => revisionId(id, 'namespace-a-b-c', generation)),
    );
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toMatch(/^namespace-a-b-c-00001-/);
  });
});

test('services have the names that users of the original know', () => {
  expect(shownName({ kind: 'global', name: 'fast' })).toBe('global-fast');
  expect(shownName({ kind: 'namespace', namespace: 'demo', name: 'fast' })).toBe('namespace-demo-fast');
  expect(shownName({ kind: 'workflow', version: '123', name: 'step' })).toBe('workflow-123-step');
});

test('the path of a workflow is shown without slashes', () => {
  expect(pathLabel('/a/b/wf.yaml')).toBe('a_b_wf.yaml');
});

test.each([
  ['00001', 1],
  ['12345', 12345],
  ['123456', 123456],
  ['000001', undefined],
  ['1', undefined],
  ['', undefined],
  ['0000x', undefined],
])('%j is parsed as the generation %s', (text, generation) => {
  expect(toGeneration(text)).toBe(generation);
});

test('a version is a decimal number that depends only on the definition of the service', () => {
  expect(versionOf('w', 'step', ['a'])).toMatch(/^\d{1,20}$/);
  expect(versionOf('w', 'step', ['a'])).toBe(versionOf('w', 'step', ['a']));
  const others = [versionOf('w', 'step', ['b']), versionOf('w', 'other', ['a']), versionOf('v', 'step', ['a'])];
  expect(new Set([versionOf('w', 'step', ['a']), ...others]).size).toBe(4);
});

import { expect, test } from 'vitest';
import { adviceOn, testedNode } from '../../bin/server/node-version.ts';

test.each(['24.9.0', '24.20.9', '22.30.1'])('a warning names Node %s as too old', (version) => {
  expect(adviceOn(version, '24.21.0')).toBe(
    `This is Node ${version}; Weft is tested with 24.21.0. Older versions lack security fixes: install a newer one.`,
  );
});

test.each(['24.21.0', '24.21.1', '24.100.0', '25.0.0', '26.1.3'])('there is no warning for Node %s', (version) => {
  expect(adviceOn(version, '24.21.0')).toBeUndefined();
});

test('the tests run on the tested version of Node, or on a newer one', () => {
  expect(testedNode()).toMatch(/^24\.\d+\.\d+$/);
  expect(adviceOn(process.versions.node, testedNode())).toBeUndefined();
});

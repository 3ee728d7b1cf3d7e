import { expect, test } from 'vitest';
import { isObject, prettyJson, readObject } from '../../web/data/format/json.ts';
import { patchOf } from '../../web/data/runs/patch.ts';
import { pathsWith, rowsOf } from '../../web/parts/json/rows.ts';

const TEXT = '{\n  "id": 9007199254740993\n}';

test('the console prints the digits of a number as they came', () => {
  expect(prettyJson(TEXT)).toBe(TEXT);
});

test('the tree of JSON has a number with its digits as a row, and finds it', () => {
  const read = readObject(TEXT);
  if ('problem' in read) throw new Error(read.problem);
  const [, row] = rowsOf(read.value, { isOpen: () => true, shown: () => 10 });
  expect(row).toMatchObject({ path: '.id', kind: 'number', size: 0, isOpen: false });
  expect(JSON.stringify(row?.value)).toBe('9007199254740993');
  expect([...pathsWith(read.value, '0993')]).toEqual(['.id', '.']);
  expect(isObject(read.value['id'])).toBe(false);
});

test('a repetition with edited data patches a digit that a double does not have', () => {
  const [before, after] = [readObject(TEXT), readObject(TEXT.replace('993', '995'))];
  if ('problem' in before || 'problem' in after) throw new Error('not JSON');
  expect(JSON.stringify(patchOf(before.value, after.value))).toBe(
    '[{"op":"replace","path":"/id","value":9007199254740995}]',
  );
});

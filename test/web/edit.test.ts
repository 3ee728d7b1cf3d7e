import { expect, test } from 'vitest';
import { Edit } from '../../web/data/api/edit.ts';

test('a value that is stored anew is taken over, but not over what is written', () => {
  const edit = new Edit('PT1H');
  edit.follow('PT2H');
  expect(edit.value.value).toBe('PT2H');
  edit.value.value = 'PT3H';
  edit.follow('PT4H');
  expect([edit.value.value, edit.isChanged.value]).toEqual(['PT3H', true]);
  edit.value.value = 'PT4H';
  expect(edit.isChanged.value).toBe(false);
});

test('a value that the service reports before it replies to the store is taken over', async () => {
  const edit = new Edit('PT1H');
  edit.value.value = 'PT120M';
  await edit.store(async () => edit.follow('PT2H'));
  expect([edit.value.value, edit.isChanged.value]).toEqual(['PT2H', false]);
});

test('what is written while a value is stored counts as not stored', async () => {
  const edit = new Edit('PT1H');
  edit.value.value = 'PT120M';
  await edit.store(async () => {
    edit.value.value = 'PT5H';
    edit.follow('PT2H');
  });
  expect([edit.value.value, edit.isChanged.value]).toEqual(['PT5H', true]);
});

test('a value that is refused stays written and not stored', async () => {
  const edit = new Edit('PT1H');
  edit.value.value = 'soon';
  await expect(edit.store(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect([edit.value.value, edit.isChanged.value]).toEqual(['soon', true]);
});

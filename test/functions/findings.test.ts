import { expect, test } from 'vitest';
import { withWarnings } from '../../functions/http/tree/findings.ts';

const MISSPELT = "states:\n- {id: a, type: noop, log: 'jq(.list | lenght)'}\n";
const HINTED = 'functions:\n- {id: f, type: subflow, workflow: w}\nstates:\n- {id: a, type: noop}\n';

test('the reply to a workflow that is stored has its warnings, and no hints', async () => {
  expect(await withWarnings({ settings: { brand: 'service', version: '' } }, 'a', MISSPELT)).toMatchObject({
    warnings: [{ rule: 'jq-unknown-name' }],
  });
  expect(await withWarnings({ settings: { brand: 'service', version: '' } }, 'a', HINTED)).toEqual({});
});

test('the reply is that of the original for its brand', async () => {
  expect(await withWarnings({ settings: { brand: 'direktiv', version: '' } }, 'a', MISSPELT)).toEqual({});
});

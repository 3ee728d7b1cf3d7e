import { expect, test } from 'vitest';
import { toGraph } from '../../web/data/workflow/graph.ts';

test('the choices of an approval are ways of the diagram; one without a next state is an end', () => {
  const ask = { id: 'ask', type: 'approval', subject: 'Ship?', choices: { approve: 'ship', later: null } };
  const { states, edges } = toGraph({ states: [ask, { id: 'ship', type: 'noop' }] });
  expect(edges).toEqual([{ from: 'ask', to: 'ship', kind: 'condition', label: 'approve' }]);
  expect(states.map(({ id, isEnd }) => [id, isEnd])).toEqual([
    ['ask', true],
    ['ship', true],
  ]);
});

import { expect, test } from 'vitest';
import type { InstanceReply } from '../../clients/api/operations.ts';
import { toGraph } from '../../web/data/workflow/graph.ts';
import { wayOf } from '../../web/pages/run/way.ts';
import { place } from '../../web/parts/diagram/layout.ts';

test('the choices of an approval are ways of the diagram; one without a next state is an end', () => {
  const ask = { id: 'ask', type: 'approval', subject: 'Ship?', choices: { approve: 'ship', later: null } };
  const { states, edges } = toGraph({ states: [ask, { id: 'ship', type: 'noop' }] });
  expect(edges).toEqual([{ from: 'ask', to: 'ship', kind: 'condition', label: 'approve' }]);
  expect(states.map(({ id, isEnd }) => [id, isEnd])).toEqual([
    ['ask', true],
    ['ship', true],
  ]);
});

const HANDLED = {
  onFailure: 'undo',
  finally: 'release',
  cancelOn: { type: 'order.cancelled', transition: 'refund' },
  states: [
    { id: 'pay', type: 'noop' },
    { id: 'undo', type: 'noop', transition: 'log' },
    { id: 'log', type: 'noop' },
    { id: 'refund', type: 'noop' },
    { id: 'release', type: 'noop' },
  ],
};

test('the handlers of a workflow are ways from their causes; an event that only cancels is a cause alone', () => {
  const { edges, states } = toGraph(HANDLED);
  expect(edges.filter(({ kind }) => kind === 'handler').map(({ from, to }) => `${from}>${to}`)).toEqual([
    'cancelled by order.cancelled>refund',
    'on failure>undo',
    'finally, at any end>release',
  ]);
  expect(states.filter(({ isCause }) => isCause)).toHaveLength(3);
  const alone = toGraph({ cancelOn: { type: 'stop' }, states: [{ id: 'a', type: 'noop' }] });
  expect(alone.edges).toEqual([]);
  expect(alone.states.at(-1)).toMatchObject({ id: 'cancelled by stop', isCause: true, isEnd: true });
});

test('the way of a run goes through the causes of its handlers, and ends in the state that failed', () => {
  const instance = { status: 'failed', errorCode: 'bank.refused' };
  const reply = { flow: ['pay', 'undo', 'log', 'release'], instance } as unknown as InstanceReply;
  const { taken, visits, current, mood } = wayOf(reply, toGraph(HANDLED).edges, { isWaiting: false, current: 'pay' });
  expect([...taken.keys()]).toEqual(['on failure>undo', 'undo>log', 'finally, at any end>release']);
  expect(visits.get('on failure')).toBe(1);
  expect(visits.has('cancelled by order.cancelled')).toBe(false);
  expect([current, mood]).toEqual(['pay', 'failed']);
});

test('an edge is placed with its label, cut to one line', () => {
  const condition = 'jq(.quantity > 0 and .customer != null)';
  const { edges } = toGraph({
    states: [
      { id: 'a', type: 'switch', conditions: [{ condition, transition: 'b' }] },
      { id: 'b', type: 'noop' },
    ],
  });
  expect(edges[0]?.label).toBe('.quantity > 0 and .customer != null');
  const graph = { states: ['a', 'b'].map((id) => ({ id, type: 'noop', isEnd: false })), edges, entry: 'a' };
  const [edge] = place(graph, { direction: 'LR', chains: new Map(), hasLabels: true }).edges;
  expect(edge?.text?.words).toBe('.quantity > 0 and .cu…');
  expect(place(graph, { direction: 'LR', chains: new Map(), hasLabels: false }).edges[0]?.text).toBeUndefined();
});

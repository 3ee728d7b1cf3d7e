import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListenerIndex } from '../../../lib/domain/events/listener-index.ts';
import type { Listener } from '../../../lib/domain/events/listeners.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { matches } from '../../../lib/events/matching.ts';

const listenerOf = (context: Readonly<Record<string, unknown>>, at: number): Listener => ({
  at: String(at).padStart(6, '0'),
  kind: 'wait',
  owner: `run-${at}`,
  wait: 1,
  slot: 0,
  filter: { type: 't', context },
  mode: 'simple',
  path: '/w',
  created: 0,
});

const names = fc.constantFrom('n', 'N', 'm', 'source', 'subject', 'data', 'constructor');
const values = fc.constantFrom<unknown>('a', 'b', 'a*', '*', '', 'bench', 1, true, null);
const contexts = fc.dictionary(names, values, { maxKeys: 3 });

test('the index finds exactly the listeners that match, in their order', () => {
  fc.assert(
    fc.property(fc.array(contexts, { maxLength: 30 }), contexts, (filters, attributes) => {
      const all = filters.map(listenerOf);
      const event = { specversion: '1.0', id: '1', source: 'bench', type: 't', ...attributes } as CloudEvent;
      expect(new ListenerIndex(all).matching(event)).toEqual(all.filter(({ filter }) => matches(filter, event)));
    }),
  );
});

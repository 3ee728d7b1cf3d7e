import { at, statusOf, textAt } from '../client/replies.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand, needArguments, result } from '../shell/command.ts';

interface Cancellation {
  readonly id: string;
  readonly cancelled: boolean;
  readonly status: string;
  /** How the run ended, as lists show it. */
  readonly word: string;
}

const lineOf = ({ id, cancelled, word }: Cancellation): string =>
  cancelled ? `cancelled ${id}` : `${id} has already ended: ${word}`;

export const cancel = defineCommand({
  about: 'Cancels runs of workflows; for a run that has ended it prints how it ended',
  usage: ['cancel INSTANCE...'],
  options: { ...NAMESPACE_OPTION, ...TARGET_OPTIONS },
  run: async (values, ids, terminal) => {
    needArguments('cancel', ['INSTANCE', '[INSTANCE…]'], ids);
    const { service, base } = await openNamespace(values, terminal);
    const outcomes: Cancellation[] = [];
    for (const id of ids) {
      const path = `${base}/instances/${encodeURIComponent(id)}`;
      const found = await service.call('GET', path);
      const status = textAt(found, 'instance', 'status');
      if (status === 'pending') await service.call('POST', `${path}/cancel`);
      outcomes.push({ id, cancelled: status === 'pending', status, word: statusOf(at(found, 'instance')) });
    }
    const rows = outcomes.map(({ word: _, ...row }) => row);
    return result(values, rows, () => outcomes.map(lineOf).join('\n'));
  },
});

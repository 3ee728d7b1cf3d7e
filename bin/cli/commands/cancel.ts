import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand, needArguments, result } from '../shell/command.ts';

export const cancel = defineCommand({
  about: 'Cancels runs of workflows; a run that has ended is not changed',
  usage: ['cancel INSTANCE...'],
  options: { ...NAMESPACE_OPTION, ...TARGET_OPTIONS },
  run: async (values, ids, terminal) => {
    needArguments('cancel', ['INSTANCE', '[INSTANCE…]'], ids);
    const { service, base } = await openNamespace(values, terminal);
    for (const id of ids) await service.call('POST', `${base}/instances/${encodeURIComponent(id)}/cancel`);
    return result(values, { cancelled: ids }, () => ids.map((id) => `cancelled ${id}`).join('\n'));
  },
});

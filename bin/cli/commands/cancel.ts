import { openNamespace } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import { defineCommand, needWords, shown } from '../shell/command.ts';

/** Ends runs; one that has ended stays as it is. */
export const cancel = defineCommand({
  about: 'Ends runs of workflows',
  usage: ['cancel INSTANCE...'],
  notes: [NAMESPACE_NOTE, ...PLACE_NOTES],
  options: { ...PLACE_OPTIONS, ...NAMESPACE_OPTION },
  run: async (values, ids, terminal) => {
    needWords('cancel', ['INSTANCE', '[INSTANCE…]'], ids);
    const { service, base } = await openNamespace(values, terminal);
    for (const id of ids) await service.call('POST', `${base}/instances/${encodeURIComponent(id)}/cancel`);
    return shown(values, { cancelled: ids }, () => ids.map((id) => `cancelled ${id}`).join('\n'));
  },
});

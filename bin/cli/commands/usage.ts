import { listAt, textAt } from '../client/replies.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand, needArguments, result, toTable } from '../shell/command.ts';

/** How much of a quota is used, in whole percent. */
function shareOf(row: unknown): string {
  const most = Number(textAt(row, 'most'));
  return most === 0 ? '100 %' : `${Math.floor((Number(textAt(row, 'used')) / most) * 100)} %`;
}

export const usage = defineCommand({
  about: 'Prints how much of each of its quotas a namespace uses',
  usage: ['usage'],
  options: { ...NAMESPACE_OPTION, ...TARGET_OPTIONS },
  run: async (values, args, terminal) => {
    needArguments('usage', [], args);
    const { service, base } = await openNamespace(values, terminal);
    const rows = listAt(await service.call('GET', `${base}/usage`), 'quotas');
    const cells = rows.map((row) => [...['name', 'used', 'most'].map((name) => textAt(row, name)), shareOf(row)]);
    return result(values, rows, () => toTable([['QUOTA', 'USED', 'MOST', 'SHARE'], ...cells]));
  },
});

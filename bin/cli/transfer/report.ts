import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { type Colour, paint, type Terminal } from '../shell/terminal.ts';
import type { ItemResult } from './apply.ts';
import type { Change, PlanItem } from './plan.ts';

const COLOURS: Readonly<Record<Change, Colour>> = {
  create: 'green',
  update: 'cyan',
  delete: 'red',
  unchanged: 'grey',
  conflict: 'red',
  'by-hand': 'yellow',
};

const DONE: Readonly<Record<Change, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  unchanged: 'unchanged',
  conflict: 'conflict',
  'by-hand': 'by hand',
};

const WIDTH = 10;

const nameOf = ({ kind, name }: Pick<PlanItem, 'kind' | 'name'>): string => (kind === name ? kind : `${kind} ${name}`);

function lineOf(terminal: Terminal, { kind, name, details, change }: PlanItem, word: string): string {
  const more = details.length === 0 ? '' : ` (${details.join('; ')})`;
  return `${paint(terminal, COLOURS[change], word.padEnd(WIDTH))} ${nameOf({ kind, name })}${more}`;
}

/** The line of an item in a plan. */
export const planLine = (terminal: Terminal, item: PlanItem): string => lineOf(terminal, item, item.change);

/** The line of an item after the plan was applied. */
export function resultLine(terminal: Terminal, { item, failure }: ItemResult): string {
  if (failure === undefined) return lineOf(terminal, item, DONE[item.change]);
  return `${paint(terminal, 'red', 'failed'.padEnd(WIDTH))} ${nameOf(item)}: ${failure}`;
}

const PLANNED: Readonly<Record<Change, string>> = {
  ...DONE,
  create: 'to create',
  update: 'to update',
  delete: 'to delete',
};

/** The number of items of each kind of change: `2 created, 5 unchanged`; of a plan: `2 to create`. */
export function summary(items: readonly Pick<PlanItem, 'change'>[], when: 'planned' | 'done'): string {
  const words = when === 'planned' ? PLANNED : DONE;
  const changes = Object.keys(COLOURS) as Change[];
  const counts = changes.map((change) => [change, items.filter((one) => one.change === change).length] as const);
  const some = counts.filter(([, count]) => count > 0).map(([change, count]) => `${count} ${words[change]}`);
  return some.length === 0 ? 'nothing to do' : some.join(', ');
}

/** The result of an item as JSON. */
export const toRecord = ({ item: { kind, name, change, details }, failure }: ItemResult) =>
  omitUndefined({ kind, name, change, details, failure });

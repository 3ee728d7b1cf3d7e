import { type Colour, paint, type Terminal } from '../shell/terminal.ts';
import type { Done } from './carrying.ts';
import type { Change, Item } from './plan.ts';

const COLOURS: Readonly<Record<Change, Colour>> = {
  create: 'green',
  update: 'cyan',
  unchanged: 'grey',
  conflict: 'red',
  'by-hand': 'yellow',
};

const DONE: Readonly<Record<Change, string>> = {
  create: 'created',
  update: 'updated',
  unchanged: 'unchanged',
  conflict: 'conflict',
  'by-hand': 'by hand',
};

const WIDTH = 10;

const whatOf = ({ kind, name }: Pick<Item, 'kind' | 'name'>): string => (kind === name ? kind : `${kind} ${name}`);

function lineOf(terminal: Terminal, { kind, name, details, change }: Item, word: string): string {
  const more = details.length === 0 ? '' : ` (${details.join('; ')})`;
  return `${paint(terminal, COLOURS[change], word.padEnd(WIDTH))} ${whatOf({ kind, name })}${more}`;
}

/** What would be done, a line each. */
export const planLine = (terminal: Terminal, item: Item): string => lineOf(terminal, item, item.change);

/** What was done, a line each. */
export function doneLine(terminal: Terminal, { item, failure }: Done): string {
  if (failure === undefined) return lineOf(terminal, item, DONE[item.change]);
  return `${paint(terminal, 'red', 'failed'.padEnd(WIDTH))} ${whatOf(item)}: ${failure}`;
}

const PLANNED: Readonly<Record<Change, string>> = { ...DONE, create: 'to create', update: 'to update' };

/** How many items of each kind of change: `2 created, 5 unchanged`; of a plan: `2 to create`. */
export function summary(items: readonly Item[], when: 'planned' | 'done'): string {
  const words = when === 'planned' ? PLANNED : DONE;
  const changes = Object.keys(COLOURS).map(
    (change) => [change, items.filter((one) => one.change === change).length] as const,
  );
  const some = changes.filter(([, count]) => count > 0).map(([change, count]) => `${count} ${words[change as Change]}`);
  return some.length === 0 ? 'nothing to do' : some.join(', ');
}

/** The item for programs. */
export const toRecord = ({ item: { kind, name, change, details }, failure }: Done) => ({
  kind,
  name,
  change,
  details,
  ...(failure === undefined ? {} : { failure }),
});

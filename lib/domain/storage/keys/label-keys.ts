import type { Key } from '../../../ports/table.ts';
import { at, dateOf, journal, part, runOrder } from '../key-parts.ts';
import { type Home, type Partitions, partitionOf, partitionsOfDay, spreadKey, spreadKeys } from '../spread.ts';

/** One label: a name and its value. */
export interface Label {
  readonly name: string;
  readonly value: string;
}

/** A name has no `=`, and a date has as many characters as any other, so that no two labels share a key. */
const bucket = ({ id }: Home, { name, value }: Label, ms: number): string =>
  `labels#${id}#${part(`${name}=${value}`)}#${dateOf(ms)}`;

/** The runs with a label that began on a day, in the order of `runOrder`; spread as the runs of the day themselves. */
export const labelledRuns = (home: Home, label: Label, ms: number): Partitions => ({
  table: 'journal',
  pks: spreadKeys(bucket(home, label, ms), partitionsOfDay(home, ms)),
  order: 'sk',
});

/** The key of a run among those with a label. */
export const labelledRun = (
  home: Home,
  label: Label,
  { id, created }: { readonly id: string; readonly created: number },
): Key => at(journal(spreadKey(bucket(home, label, created), partitionOf(home, created, id))), runOrder(created, id));

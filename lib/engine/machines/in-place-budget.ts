import type { Settings } from '../../ports/settings.ts';

const DEFAULT_MS = 100;

/** How long a run may take where it is started before a machine continues it, milliseconds; 0: a machine begins it. */
export const inPlaceBudgetOf = ({ startBudgetMs = DEFAULT_MS }: Pick<Settings, 'startBudgetMs'>): number =>
  startBudgetMs;

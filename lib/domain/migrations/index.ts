import type { Step } from './migration.ts';
import { runsByTime } from './runs-by-time.ts';

/** Tables that say nothing have it. */
export const FIRST = 1;

/** From each layout of the tables to the next, from the first on. A step that was released stays as it is. */
export const STEPS: readonly Step[] = [runsByTime];

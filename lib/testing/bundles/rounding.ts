import { durationText } from '../checking.ts';
import type { Rounding } from './case.ts';

const seconds = (count: number): string => durationText(count * 1000);

/** Times as they were. */
export const exact: Rounding = (milliseconds) => milliseconds;

/** Times in whole seconds, as a file of tests has them: those of calls and events are rounded down, or up. */
export const ROUNDINGS: readonly Rounding[] = [
  (milliseconds) => seconds(Math.floor(milliseconds / 1000)),
  (milliseconds) => seconds(Math.ceil(milliseconds / 1000)),
];

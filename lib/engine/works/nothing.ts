import type { Perform } from '../run/work.ts';

export const nothing: Perform<'nothing'> = async () => undefined;

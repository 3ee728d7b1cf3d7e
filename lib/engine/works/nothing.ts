import type { Perform } from './work.ts';

export const nothing: Perform<'nothing'> = async () => undefined;

import type { Key } from '../../../ports/table.ts';
import { at, catalog } from '../key-parts.ts';

/** The key of the handle of a state machine that all workflows share, by the name of the machine. */
export const sharedMachine = (name: string): Key => at(catalog('shared-machines'), name);

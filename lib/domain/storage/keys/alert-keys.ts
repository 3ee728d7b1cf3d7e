import type { Key } from '../../../ports/table.ts';
import { at, runs } from '../key-parts.ts';

/** The key of the item that groups the alerts about the runs of a workflow. */
export const alertGroup = (workflowId: string): Key => at(runs(`alerts#${workflowId}`));

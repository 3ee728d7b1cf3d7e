import type { Key } from '../../../ports/table.ts';
import { orderedId } from '../ids.ts';
import { at, catalog, journal, type Partition } from '../key-parts.ts';

/** The jobs of a namespace, the oldest first. */
export const jobs = (namespaceId: string): Partition => journal(`jobs#${namespaceId}`);
/** The key of a job. */
export const job = (namespaceId: string, id: string): Key => at(jobs(namespaceId), orderedId(id));

/** The jobs of all namespaces that have not ended. */
export const OPEN_JOBS = catalog('jobs-open');
/** The key of the marker of a job that has not ended. */
export const openJob = (namespaceId: string, id: string): Key => at(OPEN_JOBS, `${namespaceId}#${id}`);

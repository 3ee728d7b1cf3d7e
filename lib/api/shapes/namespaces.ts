import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { time } from './scalars.ts';

/** The operations a namespace can send cloud events about. */
export const BROADCASTS = [
  'directory.create',
  'directory.delete',
  'instance.failed',
  'instance.started',
  'instance.success',
  'instance.variable.create',
  'instance.variable.delete',
  'instance.variable.update',
  'namespace.variable.create',
  'namespace.variable.delete',
  'namespace.variable.update',
  'workflow.create',
  'workflow.delete',
  'workflow.update',
  'workflow.variable.create',
  'workflow.variable.delete',
  'workflow.variable.update',
] as const;

export const namespaceRecord = z.object({ createdAt: time, updatedAt: time, name: z.string(), oid: z.string() });

export const namespaces = z.object(paged(namespaceRecord));
export const namespace = z.object({ namespace: namespaceRecord });
/** `events` is there where waits look back: an ISO 8601 duration. */
export const config = z.object({
  broadcast: z.record(z.enum(BROADCASTS), z.boolean()),
  events: z.optional(z.object({ lookback: z.string() })),
});

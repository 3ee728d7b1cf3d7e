import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { time, uuid } from './scalars.ts';

export const logLine = z.object({
  t: time,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  msg: z.string(),
  tags: z.record(z.string(), z.string()),
});

/** A request that could change something; `target` has the parameters that identify its object. */
export const auditEntry = z.object({
  id: uuid,
  time,
  actor: z.string(),
  key: z.string(),
  action: z.string(),
  namespace: z.string(),
  target: z.record(z.string(), z.string()),
  outcome: z.enum(['done', 'refused', 'failed']),
  status: z.int(),
  address: z.string(),
  forwardedFor: z.string(),
  client: z.string(),
});
/** `next` is absent at the end. A page can have no entries and a `next`: entries that do not match were passed over. */
export const audit = z.object({ entries: z.array(auditEntry), next: z.optional(z.string()) });

export const serverLogs = z.object(paged(logLine));
export const namespaceLogs = z.object({ ...paged(logLine), namespace: z.string() });
export const workflowLogs = z.object({ ...paged(logLine), namespace: z.string(), path: z.string() });
export const instanceLogs = z.object({ ...paged(logLine), namespace: z.string(), instance: uuid });

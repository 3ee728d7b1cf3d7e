import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { time, uuid } from './scalars.ts';

export const logLine = z.object({
  t: time,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  msg: z.string(),
  tags: z.record(z.string(), z.string()),
});

export const serverLogs = z.object(paged(logLine));
export const namespaceLogs = z.object({ ...paged(logLine), namespace: z.string() });
export const workflowLogs = z.object({ ...paged(logLine), namespace: z.string(), path: z.string() });
export const instanceLogs = z.object({ ...paged(logLine), namespace: z.string(), instance: uuid });

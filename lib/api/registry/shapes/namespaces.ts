import * as z from 'zod/mini';
import { NAMESPACE_QUOTAS } from '../../../domain/quotas.ts';
import { RECORD_MODES } from '../../../domain/record-modes.ts';
import { LIMITS, type NamespaceLimits } from '../../../domain/run-limits.ts';
import { BROADCAST_KINDS } from '../../../events/broadcasts.ts';
import { paged } from './pages.ts';
import { time } from './scalars.ts';

export const namespaceRecord = z.object({ createdAt: time, updatedAt: time, name: z.string(), oid: z.string() });

export const namespaces = z.object(paged(namespaceRecord));
export const namespace = z.object({ namespace: namespaceRecord });
/** How much of its quotas a namespace uses. */
export const usage = z.object({
  quotas: z.array(z.object({ name: z.enum(NAMESPACE_QUOTAS), used: z.int(), most: z.int() })),
});

/** The workflows that the clock starts. */
export const schedules = z.object({
  namespace: z.string(),
  schedules: z.array(z.object({ workflow: z.string(), cron: z.string(), next: z.array(time) })),
});

/** A shape of each limit that a namespace may set. */
export const limitShapes = <Shape>(shape: Shape): Record<keyof NamespaceLimits, Shape> =>
  Object.fromEntries(LIMITS.map((name) => [name, shape])) as Record<keyof NamespaceLimits, Shape>;

/** The machines that were not defined when their workflows were stored. `waitingInAll`: those of all namespaces. */
export const definitions = z.object({
  since: z.optional(time),
  defined: z.int(),
  waiting: z.int(),
  waitingInAll: z.int(),
  failed: z.array(z.object({ path: z.string(), error: z.string() })),
});
/**
 * `events` is present if waits look back: an ISO 8601 duration. `egress` is present if workflows may reach private hosts or
 * address ranges, `functions` if images that Weft serves itself run as containers, `alerts` if alerts are sent, `mail` if
 * the namespace has a mail server, `partitions` if there are several, `warnings` in the
 * reply to a change that has no effect yet.
 */
export const config = z.object({
  broadcast: z.partialRecord(z.enum(BROADCAST_KINDS), z.boolean()),
  events: z.optional(z.object({ lookback: z.string() })),
  record: z.optional(z.enum(RECORD_MODES)),
  limits: z.optional(z.object(limitShapes(z.optional(z.int())))),
  egress: z.optional(z.array(z.string())),
  functions: z.optional(z.object({ native: z.boolean() })),
  alerts: z.optional(
    z.object({
      workflow: z.optional(z.string()),
      url: z.optional(z.string()),
      secret: z.optional(z.string()),
      within: z.optional(z.string()),
    }),
  ),
  mail: z.optional(
    z.object({
      host: z.string(),
      port: z.optional(z.int()),
      tls: z.optional(z.enum(['implicit', 'starttls'])),
      insecure: z.optional(z.boolean()),
      user: z.optional(z.string()),
      password: z.optional(z.string()),
      from: z.optional(z.string()),
    }),
  ),
  partitions: z.optional(z.int()),
  warnings: z.optional(z.array(z.string())),
});

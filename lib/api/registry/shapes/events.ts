import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { base64, time } from './scalars.ts';

/** `cloudevent` is the event's JSON. */
export const eventRecord = z.object({
  receivedAt: time,
  id: z.string(),
  source: z.string(),
  type: z.string(),
  cloudevent: base64,
});
export const events = z.object({ events: z.object(paged(eventRecord)), namespace: z.string() });

/** What became of an event: of each listener whether it matched, at which attribute it failed, and what followed. */
export const explanation = z.object({
  namespace: z.string(),
  event: eventRecord,
  routed: z.boolean(),
  listeners: z.array(
    z.object({
      listener: z.string(),
      workflow: z.string(),
      matches: z.boolean(),
      failed: z.optional(z.object({ attribute: z.string(), expected: z.unknown(), found: z.unknown() })),
      did: z.string(),
      started: z.optional(z.string()),
    }),
  ),
});

/** A workflow that an event starts, or an instance that an event wakes; the other of the two is empty. */
export const listener = z.object({
  workflow: z.string(),
  instance: z.string(),
  updatedAt: time,
  mode: z.enum(['simple', 'and', 'or']),
  events: z.array(z.object({ type: z.string(), filters: z.record(z.string(), z.unknown()) })),
  createdAt: time,
});
export const listeners = z.object({ namespace: z.string(), ...paged(listener) });

/** What could not be delivered: an event, a tick of the clock, or an event of another bus. What it lacks is empty. */
export const failedDelivery = z.object({
  id: z.string(),
  kind: z.enum(['event', 'tick', 'inbound']),
  failedAt: time,
  tries: z.int(),
  error: z.string(),
  due: time,
  event: z.string(),
  type: z.string(),
  source: z.string(),
  workflow: z.string(),
  to: z.string(),
});
export const failedDeliveries = z.object({ namespace: z.string(), ...paged(failedDelivery) });
export const redelivered = z.object({ redelivered: z.int(), failed: z.int(), left: z.int() });

export const eventFilters = z.object({ eventFilter: z.array(z.object({ name: z.string() })) });
export const eventFilter = z.object({ filtername: z.string(), jsCode: z.string() });

import * as z from 'zod/mini';
import { holdField, time, uuid } from '../scalars.ts';
import { data, failure, instanceRecord } from './instances.ts';
import { holder } from './tasks.ts';

const nearMiss = z.object({
  event: z.string(),
  receivedAt: time,
  type: z.string(),
  attribute: z.string(),
  expected: z.unknown(),
  found: z.unknown(),
});

/** The next attempt of a call, and why the last one failed. */
const retry = z.object({ attempt: z.int(), of: z.optional(z.int()), at: time, error: z.optional(failure) });

/** The place in a queue, from 1, and the runs that have the places; or the field that holds a run or a call back, and its starts. */
const queued = { key: z.string(), place: z.int(), heldBy: z.array(uuid) };
const held = { by: holdField, key: z.string(), until: time, starts: z.int() };

/** `waiting` is absent for a run that has ended or runs at this moment. */
export const waiting = z.object({
  namespace: z.string(),
  instance: instanceRecord,
  cancelOn: z.optional(z.object({ type: z.string(), context: data })),
  // Of a queued run.
  concurrency: z.optional(z.object({ workflow: z.string(), ...queued })),
  held: z.optional(z.object({ workflow: z.string(), ...held })),
  waiting: z.optional(
    z.object({
      state: z.string(),
      since: time,
      until: time,
      for: z.object({
        delay: z.optional(time),
        approval: z.optional(z.object({ subject: z.string(), assignees: z.array(z.string()), reminders: z.int() })),
        events: z.optional(
          z.object({
            mode: z.enum(['one', 'all']),
            filters: z.array(z.object({ type: z.string(), context: data, received: z.boolean() })),
          }),
        ),
        calls: z.optional(
          z.object({
            total: z.int(),
            returned: z.int(),
            open: z.array(
              z.object({
                call: z.int(),
                attempt: z.int(),
                instance: z.string(),
                status: z.enum(['not begun', 'pending', 'complete', 'failed', 'crashed']),
                workflow: z.string(),
                worker: z.optional(z.object({ queue: z.string(), ...holder })),
                // Of a call that waits for the limits of its function.
                concurrency: z.optional(z.object({ scope: z.string(), ...queued })),
                held: z.optional(z.object({ scope: z.string(), ...held })),
                retry: z.optional(retry),
              }),
            ),
          }),
        ),
      }),
      nearMisses: z.array(nearMiss),
    }),
  ),
});

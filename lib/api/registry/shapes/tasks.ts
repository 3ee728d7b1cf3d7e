import * as z from 'zod/mini';
import { time, uuid } from './scalars.ts';

/** The holder of the task of a worker: `from` is the time at which a delayed one is offered again. */
export const holder = {
  status: z.enum(['ready', 'leased', 'delayed']),
  taken: z.int(),
  worker: z.optional(z.string()),
  leaseUntil: z.optional(time),
  from: z.optional(time),
};

const depth = { queue: z.string(), ready: z.int(), held: z.int() };

/** The numbers of tasks are exact up to 10,000. */
export const queues = z.object({ namespace: z.string(), queues: z.array(z.object(depth)) });

export const queue = z.object({
  namespace: z.string(),
  ...depth,
  tasks: z.array(
    z.object({
      task: uuid,
      priority: z.int(),
      createdAt: time,
      until: time,
      instance: uuid,
      workflow: z.string(),
      state: z.string(),
      ...holder,
    }),
  ),
});

/** `key` is the idempotency key; `until` is when the workflow stops waiting. */
export const tasks = z.object({
  namespace: z.string(),
  queue: z.string(),
  tasks: z.array(
    z.object({
      task: uuid,
      lease: uuid,
      leaseUntil: time,
      until: time,
      key: uuid,
      attempt: z.int(),
      taken: z.int(),
      priority: z.int(),
      createdAt: time,
      instance: uuid,
      workflow: z.string(),
      state: z.string(),
      traceparent: z.string(),
      input: z.unknown(),
    }),
  ),
});

export const taskState = z.object({
  task: uuid,
  status: z.enum(['complete', 'failed', 'offered', 'leased']),
  leaseUntil: z.optional(time),
});

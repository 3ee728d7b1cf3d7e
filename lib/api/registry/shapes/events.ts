import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { base64, time, uuid } from './scalars.ts';

/** `cloudevent` is the event's JSON. */
export const eventRecord = z.object({
  receivedAt: time,
  id: z.string(),
  source: z.string(),
  type: z.string(),
  cloudevent: base64,
});
export const events = z.object({ events: z.object(paged(eventRecord)), namespace: z.string() });

/** The trace of an event: for each listener whether it matched, the first attribute that did not, and the effect. */
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

/** A workflow that events start, or an instance that waits for events or that an event cancels; the other field is empty. */
export const listener = z.object({
  workflow: z.string(),
  instance: z.string(),
  updatedAt: time,
  mode: z.enum(['simple', 'and', 'or']),
  events: z.array(z.object({ type: z.string(), filters: z.record(z.string(), z.unknown()) })),
  createdAt: time,
  cancels: z.optional(z.literal(true)),
});
export const listeners = z.object({ namespace: z.string(), ...paged(listener) });

/** A dead letter: an event, a schedule tick, or an event of another bus. Fields that do not apply are empty. */
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

export const webhooks = z.object({
  namespace: z.string(),
  webhooks: z.array(
    z.object({
      workflow: z.string(),
      url: z.string(),
      live: z.boolean(),
      verification: z.enum(['github', 'stripe', 'slack', 'standard', 'hmac', 'basic', 'url', 'none']),
      secret: z.optional(z.object({ name: z.string(), variable: z.string(), initialized: z.boolean() })),
      reply: z.optional(z.literal('wait')),
      event: z.optional(z.string()),
      curl: z.string(),
    }),
  ),
  complete: z.boolean(),
});

/** A decision that is waited for. */
const approvalRecord = {
  instance: uuid,
  workflow: z.string(),
  state: z.string(),
  subject: z.string(),
  text: z.string(),
  assignees: z.array(z.string()),
  since: time,
  until: time,
  reminders: z.int(),
  failures: z.optional(z.array(z.object({ instance: uuid, code: z.string(), message: z.string() }))),
};
export const approvals = z.object({ namespace: z.string(), approvals: z.array(z.object(approvalRecord)) });
export const approval = z.object({
  namespace: z.string(),
  approval: z.object({ ...approvalRecord, choices: z.array(z.string()), form: z.optional(z.unknown()) }),
});
export const decision = z.object({ namespace: z.string(), instance: uuid, choice: z.string(), by: z.string() });

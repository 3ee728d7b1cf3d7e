import { omitUndefined } from '../../language/omit-undefined.ts';
import { duration, list, oneOf, query, required, text, transition } from '../decoding/decoders.ts';
import { type Decoded, type Fields, object } from '../decoding/object.ts';
import { limit, period } from '../decoding/periods.ts';
import { defineVariant, unionOf, type Variant } from '../decoding/variants.ts';
import type { Start } from '../plan/plan.ts';
import { event, toFilter } from './event-filters.ts';
import { WEBHOOK_FIELDS } from './webhooks.ts';

/** The start of a workflow, with the id of the first state if it is given. */
export interface StartPlan {
  readonly start: Start;
  readonly state?: string;
}

const events = required(list(required(event)));

/** One run for several events; undefined: each event starts one. */
const batch = object({ size: limit, for: period, key: query });

function defineStart<F extends Fields>(
  type: Start['type'],
  fields: F,
  lower: (fields: Decoded<F>) => Start,
): Variant<StartPlan> {
  return defineVariant([type], { state: transition, ...fields }, (decoded: { readonly state: string | undefined }) => ({
    start: lower(decoded as unknown as Decoded<F>),
    ...omitUndefined({ state: decoded.state }),
  }));
}

/** What becomes of planned times at which no run could start. */
const MISSED = ['latest', 'all', 'none'] as const;

/** The types of starts (workflow-language 3). A cron pattern is checked when the workflow is activated. */
const STARTS: Readonly<Record<Start['type'], Variant<StartPlan>>> = {
  scheduled: defineStart('scheduled', { cron: text, missed: oneOf(MISSED) }, ({ cron = '', missed }) => ({
    type: 'scheduled',
    cron,
    ...omitUndefined({ missed }),
  })),
  event: defineStart('event', { event: required(event), batch }, (start) => ({
    type: 'event',
    events: [toFilter(start.event)],
    ...omitUndefined({ batch: start.batch && omitUndefined(start.batch) }),
  })),
  eventsXor: defineStart('eventsXor', { events }, (start) => ({
    type: 'eventsXor',
    events: start.events.map(toFilter),
  })),
  eventsAnd: defineStart('eventsAnd', { events, lifespan: duration }, ({ lifespan, ...start }) => ({
    type: 'eventsAnd',
    events: start.events.map(toFilter),
    ...omitUndefined({ lifespan }),
  })),
  webhook: defineStart('webhook', WEBHOOK_FIELDS, ({ verify, reply, event: sent }) => ({
    type: 'webhook',
    verify,
    ...omitUndefined({ reply, event: sent && toFilter(sent) }),
  })),
  default: defineStart('default', {}, () => ({ type: 'default' })),
};

/** The union of the types of starts. The original lists its own when it rejects one. */
export const START_TYPES = unionOf(
  STARTS,
  Object.keys(STARTS).filter((name) => name !== 'webhook'),
);

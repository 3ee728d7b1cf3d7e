import type { Start } from '../plan/plan.ts';
import { given } from '../read/given.ts';
import { defineKind, type Kind, tableOf } from '../read/kind.ts';
import type { Fields, Read } from '../read/record.ts';
import { duration, list, needed, text, transition } from '../read/shape.ts';
import { event, toFilter } from './event-filters.ts';

export interface StartPlan {
  readonly start: Start;
  /** The state to begin with, if one is named. */
  readonly state?: string;
}

const events = needed(list(needed(event)));

function defineStart<F extends Fields>(type: string, fields: F, lower: (fields: Read<F>) => Start): Kind<StartPlan> {
  return defineKind([type], { state: transition, ...fields }, (written: { readonly state: string | undefined }) => ({
    start: lower(written as unknown as Read<F>),
    ...given({ state: written.state }),
  }));
}

/** All types of starts (workflow-language 3). A cron is not looked at before the workflow is armed. */
export const STARTS = tableOf([
  defineStart('scheduled', { cron: text }, ({ cron = '' }) => ({ type: 'scheduled', cron })),
  defineStart('event', { event: needed(event) }, (start) => ({ type: 'event', events: [toFilter(start.event)] })),
  defineStart('eventsXor', { events }, (start) => ({ type: 'eventsXor', events: start.events.map(toFilter) })),
  defineStart('eventsAnd', { events, lifespan: duration }, ({ lifespan, ...start }) => ({
    type: 'eventsAnd',
    events: start.events.map(toFilter),
    ...given({ lifespan }),
  })),
  defineStart('default', {}, () => ({ type: 'default' })),
]);

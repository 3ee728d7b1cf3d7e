import { unionOf, type Variant } from '../decoding/variants.ts';
import type { StatePlan, StateType } from '../plan/plan.ts';
import { action } from './action.ts';
import { approval } from './approval.ts';
import { consumeEvent } from './consume-event.ts';
import { delay } from './delay.ts';
import { error } from './error.ts';
import { eventsAnd } from './events-and.ts';
import { eventsXor } from './events-xor.ts';
import { foreach } from './foreach.ts';
import { generateEvent } from './generate-event.ts';
import { getter } from './getter.ts';
import { noop } from './noop.ts';
import { parallel } from './parallel.ts';
import { setter } from './setter.ts';
import { choose } from './switch.ts';
import { validate } from './validate.ts';

/** The state types by their names in the plan (workflow-language 10). */
export const STATES: Readonly<Record<StateType, Variant<StatePlan>>> = {
  noop,
  delay,
  action,
  foreach,
  parallel,
  switch: choose,
  error,
  validate,
  getter,
  setter,
  consumeEvent,
  eventsAnd,
  eventsXor,
  generateEvent,
  approval,
};

/** The state types that the original lists when it rejects one. */
const LISTED: readonly StateType[] = [
  'switch',
  'foreach',
  'consumeEvent',
  'delay',
  'eventsAnd',
  'eventsXor',
  'noop',
  'validate',
  'parallel',
  'getter',
  'setter',
];

/** The union of the state types. */
export const STATE_TYPES = unionOf(STATES, LISTED);

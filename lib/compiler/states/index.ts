import { tableOf } from '../read/kind.ts';
import { action } from './action.ts';
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

/** All types of states by all their names (workflow-language 10). */
export const STATES = tableOf([
  noop,
  delay,
  action,
  foreach,
  parallel,
  choose,
  error,
  validate,
  getter,
  setter,
  consumeEvent,
  eventsAnd,
  eventsXor,
  generateEvent,
]);

/** Those that the original names when it refuses one. */
export const TOLD_STATES = [
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

import type { StateType } from '../program/grammar.ts';
import { choice } from './choice.ts';
import { fail } from './fail.ts';
import type { StateHandler } from './handler.ts';
import { map } from './map.ts';
import { parallel } from './parallel.ts';
import { pass } from './pass.ts';
import { succeed } from './succeed.ts';
import { task } from './task.ts';
import { wait } from './wait.ts';

/**
 * The handler of each state type. The compiler emits no Pass, no Fail and no Parallel. They stay, because 73 of the 93
 * machines with recorded outcomes of Step Functions use one of them (`test/conformance/machines.json`): without them
 * no test would compare Assign, Output, Retry, Catch and Map with the original.
 */
export const STATE_HANDLERS: Readonly<Record<StateType, StateHandler>> = {
  Task: task,
  Pass: pass,
  Choice: choice,
  Wait: wait,
  Succeed: succeed,
  Fail: fail,
  Parallel: parallel,
  Map: map,
};

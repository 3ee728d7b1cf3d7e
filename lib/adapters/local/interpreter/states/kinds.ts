import type { StateType } from '../program/grammar.ts';
import { choice } from './choice.ts';
import { fail } from './fail.ts';
import type { Kind } from './kind.ts';
import { map } from './map.ts';
import { parallel } from './parallel.ts';
import { pass } from './pass.ts';
import { succeed } from './succeed.ts';
import { task } from './task.ts';
import { wait } from './wait.ts';

export const KINDS: Readonly<Record<StateType, Kind>> = {
  Task: task,
  Pass: pass,
  Choice: choice,
  Wait: wait,
  Succeed: succeed,
  Fail: fail,
  Parallel: parallel,
  Map: map,
};

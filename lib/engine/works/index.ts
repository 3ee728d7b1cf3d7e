import type { StatePlan, Work } from '../../compiler/plan/plan.ts';
import type { Pause } from '../../domain/runs/waits.ts';
import { internalFailure } from '../evaluation/failures.ts';
import type { Draft } from '../run/unit-of-work.ts';
import type { Done, Perform, Resume, Signal } from '../run/work.ts';
import { all, resumeAll } from './all.ts';
import { call, resumeCall } from './call.ts';
import { choose } from './choose.ts';
import { each, resumeEach } from './each.ts';
import { emit } from './emit.ts';
import { hear, hearAny, listen, listenAny } from './listen.ts';
import { nothing } from './nothing.ts';
import { raise } from './raise.ts';
import { read } from './read.ts';
import { sleep, wakeUp } from './sleep.ts';
import { validate } from './validate.ts';
import { write } from './write.ts';

const PERFORM: { readonly [Kind in Work['do']]?: Perform<Kind> } = {
  nothing,
  choose,
  validate,
  raise,
  read,
  write,
  sleep,
  call,
  each,
  all,
  emit,
  listen,
  'listen-any': listenAny,
};

const RESUME: { readonly [Kind in Work['do']]?: Resume<Kind> } = {
  sleep: wakeUp,
  call: resumeCall,
  each: resumeEach,
  all: resumeAll,
  listen: hear,
  'listen-any': hearAny,
};

/** Does a state's work, or as much of it as can be done before it must wait. */
export async function perform(draft: Draft, state: StatePlan): Promise<Done> {
  const work = PERFORM[state.work.do] as Perform<Work['do']> | undefined;
  if (work === undefined) throw internalFailure(`the work '${state.work.do}' is not built`);
  return work(draft, state.work, state);
}

/** Goes on with a state's work after a wait. */
export async function resume(draft: Draft, state: StatePlan, pause: Pause, signal: Signal): Promise<Done> {
  const work = RESUME[state.work.do] as Resume<Work['do']> | undefined;
  if (work === undefined) throw internalFailure(`the work '${state.work.do}' does not wait`);
  return work(draft, state.work, state, pause, signal);
}

import { localBus } from '../../lib/adapters/local/bus.ts';
import { Activity } from '../../lib/adapters/local/concurrency/activity.ts';
import type { Alarm } from '../../lib/adapters/local/concurrency/timers.ts';
import type { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import { type LocalExecutionsOptions, localExecutions } from '../../lib/adapters/local/executions/executions.ts';
import type { InvokeContext } from '../../lib/adapters/local/interpreter/context/runtime.ts';
import { localSchedules, type Undelivered } from '../../lib/adapters/local/schedules.ts';
import { localTimers } from '../../lib/adapters/local/timers.ts';
import { STEPS_FUNCTION } from '../../lib/compiler/emit/emit.ts';
import type { Failure } from '../../lib/domain/events/dead-letters.ts';
import { keepDeadLetter } from '../../lib/engine/events/dead-letters.ts';
import { invokeAsTask } from '../../lib/engine/lambdas/machine.ts';
import { OverRateError } from '../../lib/engine/limits/starts.ts';
import type { RunnerPorts } from '../../lib/engine/ports.ts';
import { onExecutionEnd } from '../../lib/engine/recovery/lifecycle.ts';
import { route } from '../../lib/engine/routing/router.ts';
import { startByClock } from '../../lib/engine/routing/starts.ts';
import { FaultError, toTaskError } from '../../lib/engine/tasks/results.ts';
import { type StepInput, step, withoutAttempt } from '../../lib/engine/tasks/step.ts';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { nextTick, parseCron } from '../../lib/time/cron/cron.ts';
import type { Observer } from './observer.ts';

/** The options of the runtime. */
export interface RuntimeOptions {
  /** Where its journals are stored. */
  readonly database: LocalDatabase;
  readonly clock: Clock;
  readonly observer: Observer;
  /** The ports of the functions that it invokes. */
  readonly ports: () => RunnerPorts;
  /** Rings the timers; by default the alarm of the system. */
  readonly alarm?: Alarm;
  /** On whose account the functions of an execution run, by its input; by default all are of one tenant. */
  readonly tenantOf?: LocalExecutionsOptions['tenantOf'] | undefined;
  /** Called around each function that is invoked. */
  readonly around?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Each message of the bus, and each timer, is delivered twice, as delivery at least once allows. */
  readonly deliversTwice?: boolean;
}

type Message = Parameters<typeof route>[1];
type Ended = Parameters<NonNullable<LocalExecutionsOptions['onEnd']>>[0];

interface Target {
  readonly target: Parameters<typeof startByClock>[1];
}

function tickAfter(text: string, after: number): number | undefined {
  const cron = parseCron(text);
  return 'problem' in cron ? undefined : nextTick(cron, after);
}

/** Throws the error, and logs a fault: no other output shows one that is retried. */
function throwLogged(error: unknown): never {
  const thrown = toTaskError(error);
  if (thrown instanceof FaultError) console.error('a step could not be made; it is tried again', error);
  throw thrown;
}

/**
 * The functions that state machines, the bus and schedules invoke: those of functions/triggers/. An event and a tick begin in the
 * turn of their namespace; a machine and a timer go on with a run, whose batch has one.
 */
function functionsOf({ ports, observer, around = (work) => work(), deliversTwice = false }: RuntimeOptions) {
  const { onInvoke, onPublish } = observer;
  return {
    invoke: (name: string, payload: unknown, { clientContext }: InvokeContext) => {
      if (name !== STEPS_FUNCTION) return invokeAsTask(ports().lambdas, { function: name, payload, clientContext });
      onInvoke?.();
      return around(() => step(ports(), withoutAttempt(payload as StepInput)).catch(throwLogged));
    },
    ring: async (input: object) => {
      onInvoke?.();
      const calls = deliversTwice ? [input, input] : [input];
      await Promise.all(calls.map((one) => around(() => step(ports(), one as StepInput))));
    },
    onEnd: ({ name, status, error = '', cause = '' }: Ended) =>
      around(() => onExecutionEnd(ports(), { name, status, error, cause })),
    deliver: async (message: Message) => {
      await ports().processor?.takeTurn(message.namespace);
      onPublish?.();
      onInvoke?.();
      const deliveries = deliversTwice ? [message, message] : [message];
      await Promise.all(deliveries.map((one) => around(() => route(ports(), one))));
    },
    giveUpEvent: async (detail: Message, why: Failure) => {
      await keepDeadLetter(ports(), { detail }, why);
    },
    tick: async ({ target }: Target, planned: number, undelivered: Undelivered) => {
      await ports().processor?.takeTurn(target.namespace);
      onInvoke?.();
      return around(() => startByClock(ports(), target, planned, { isPatient: true, ...undelivered }));
    },
    giveUpTick: async ({ target }: Target, planned: number, why: Failure) => {
      await keepDeadLetter(ports(), { target, planned: new Date(planned).toISOString() }, why);
    },
  };
}

/** Opens executions, bus, schedules and timers: they stand for Step Functions, EventBridge and EventBridge Scheduler. */
export function openRuntime(options: RuntimeOptions) {
  const { database, clock, observer } = options;
  const { invoke, ring, onEnd, deliver, giveUpEvent, tick, giveUpTick } = functionsOf(options);
  const activity = new Activity();
  const { onTransition, onWait } = observer;
  const calls = { invoke, onEnd, ...omitUndefined({ onTransition, onWait, tenantOf: options.tenantOf }) };
  const shared = { database, clock, activity, ...omitUndefined({ alarm: options.alarm }) };
  const executions = localExecutions({ ...shared, ...calls });
  const bus = localBus({ ...shared, deliver, giveUp: giveUpEvent });
  const delayOf = (fault: unknown) => (fault instanceof OverRateError ? fault.delayMs : undefined);
  const ticks = { tick, delayOf, giveUp: giveUpTick, nextTick: tickAfter };
  const schedules = localSchedules({ ...shared, ...ticks });
  const timers = localTimers({ ...shared, call: ring, tenantOf: options.tenantOf });
  const close = async () => {
    for (const part of [schedules, timers, bus, executions]) await part.close();
  };
  return { executions, bus, schedules, timers, activity, close };
}

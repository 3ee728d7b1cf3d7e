import { localBus } from '../../lib/adapters/local/bus.ts';
import { Activity } from '../../lib/adapters/local/concurrency/activity.ts';
import type { LocalDatabase } from '../../lib/adapters/local/database/database.ts';
import { type LocalExecutionsOptions, localExecutions } from '../../lib/adapters/local/executions/executions.ts';
import { localSchedules } from '../../lib/adapters/local/schedules.ts';
import type { Failure } from '../../lib/domain/events/dead-letters.ts';
import { keepDeadLetter } from '../../lib/engine/events/dead-letters.ts';
import { route } from '../../lib/engine/events/router.ts';
import { startByClock } from '../../lib/engine/events/starts.ts';
import { onExecutionEnd } from '../../lib/engine/recovery/lifecycle.ts';
import { FaultError, toTaskError } from '../../lib/engine/step/errors.ts';
import { type StepInput, step } from '../../lib/engine/step/step.ts';
import { omitUndefined } from '../../lib/language/omit-undefined.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { nextTick, parseCron } from '../../lib/time/cron/cron.ts';
import type { Observer } from './observer.ts';

/** What the runtime needs. */
export interface RuntimeOptions {
  /** Where its journals are stored. */
  readonly database: LocalDatabase;
  readonly clock: Clock;
  readonly observer: Observer;
  /** The ports of the functions that it invokes. */
  readonly ports: () => Ports;
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

/** Nothing else shows a fault that is retried. */
function throwLogged(error: unknown): never {
  const thrown = toTaskError(error);
  if (thrown instanceof FaultError) console.error('a step could not be made; it is tried again', error);
  throw thrown;
}

/** The functions that state machines, the bus and schedules invoke: those of functions/triggers/. */
function functionsOf({ ports, observer: { onInvoke, onPublish } }: RuntimeOptions) {
  return {
    invoke: (_function: string, payload: unknown) => {
      onInvoke?.();
      return step(ports(), payload as StepInput).catch(throwLogged);
    },
    onEnd: ({ name, status, error = '', cause = '' }: Ended) => onExecutionEnd(ports(), { name, status, error, cause }),
    deliver: (message: Message) => {
      onPublish?.();
      onInvoke?.();
      return route(ports(), message);
    },
    giveUpEvent: async (detail: Message, why: Failure) => {
      await keepDeadLetter(ports(), { detail }, why);
    },
    tick: ({ target }: Target, planned: number) => {
      onInvoke?.();
      return startByClock(ports(), target, planned);
    },
    giveUpTick: async ({ target }: Target, planned: number, why: Failure) => {
      await keepDeadLetter(ports(), { target, planned: new Date(planned).toISOString() }, why);
    },
  };
}

/** Opens executions, bus and schedules, which stand for Step Functions, EventBridge and EventBridge Scheduler. */
export function openRuntime(options: RuntimeOptions) {
  const { database, clock, observer } = options;
  const { invoke, onEnd, deliver, giveUpEvent, tick, giveUpTick } = functionsOf(options);
  const activity = new Activity();
  const { onTransition } = observer;
  const calls = { invoke, onEnd, ...omitUndefined({ onTransition }) };
  const executions = localExecutions({ database, clock, activity, ...calls });
  const bus = localBus({ database, clock, activity, deliver, giveUp: giveUpEvent });
  const ticks = { tick, giveUp: giveUpTick, nextTick: tickAfter };
  const schedules = localSchedules({ database, clock, activity, ...ticks });
  const close = async () => {
    for (const part of [schedules, bus, executions]) await part.close();
  };
  return { executions, bus, schedules, activity, close };
}

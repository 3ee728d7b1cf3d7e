import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  SchedulerClient,
  ServiceQuotaExceededException,
  ThrottlingException,
} from '@aws-sdk/client-scheduler';
import type { Timer, Timers } from '../../ports/timers.ts';

/** The resources of the deployment that timers use, and replacements for tests. */
export interface SchedulerTimersOptions {
  readonly groupName: string;
  /** The role with which the scheduler calls the function. */
  readonly roleArn: string;
  /** The steps function. */
  readonly targetArn: string;
  readonly client?: SchedulerClient;
}

/** The limits of EventBridge Scheduler: a day. A call that comes too late has no effect. */
const RETRY = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };

/** The attempts of a throttled request, which take about three seconds. */
const MAX_ATTEMPTS = 6;

/**
 * Timers as one-time schedules of EventBridge Scheduler, which deletes them when they have rung. A schedule rings at some
 * second of its minute, so it gets the first full minute that is not before the time.
 */
export function schedulerTimers(options: SchedulerTimersOptions): Timers {
  const client = options.client ?? new SchedulerClient({ retryMode: 'standard', maxAttempts: MAX_ATTEMPTS });
  return {
    async set(timer) {
      try {
        await client.send(new CreateScheduleCommand(inputOf(options, timer)));
      } catch (error) {
        if (error instanceof ThrottlingException || error instanceof ServiceQuotaExceededException) return false;
        if (!(error instanceof ConflictException)) throw error;
      }
      return true;
    },
  };
}

function inputOf(
  { groupName, targetArn, roleArn }: SchedulerTimersOptions,
  { name, at, input }: Timer,
): CreateScheduleCommandInput {
  return {
    Name: name,
    GroupName: groupName,
    ScheduleExpression: expressionOf(at),
    ScheduleExpressionTimezone: 'UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    State: 'ENABLED',
    Target: { Arn: targetArn, RoleArn: roleArn, Input: JSON.stringify(input), RetryPolicy: RETRY },
  };
}

const MINUTE_MS = 60_000;
const SECONDS_AT = 'yyyy-mm-ddThh:mm:ss'.length;

/** The first full minute that is not before a time, as `at(2026-11-21T08:01:00)` in UTC. */
function expressionOf(at: number): string {
  const minute = new Date(Math.ceil(at / MINUTE_MS) * MINUTE_MS);
  return `at(${minute.toISOString().slice(0, SECONDS_AT)})`;
}

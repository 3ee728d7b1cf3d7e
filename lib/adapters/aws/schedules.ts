import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import type { Schedule, Schedules } from '../../ports/schedules.ts';
import { retry, type Sleep } from '../portable/retry.ts';

/**
 * Translates a cron text to expressions of EventBridge Scheduler: `cron(0 8 ? * MON-FRI *)`. Returns the problem if it
 * cannot.
 */
export type ToExpressions = (cron: string) => Expressions | { readonly problem: string };

/** A cron text in the syntax of EventBridge Scheduler. */
export interface Expressions {
  /** One, or two where the cron text has both day fields. */
  readonly expressions: readonly string[];
  /** The IANA name of their time zone. */
  readonly timezone: string;
}

/** The resources of the deployment that schedules use, and replacements for tests. */
export interface SchedulerSchedulesOptions {
  readonly groupName: string;
  /** The role with which the scheduler calls the function. */
  readonly roleArn: string;
  /** The function that starts workflows; its payload is `{target, planned}`, with `planned` in RFC 3339. */
  readonly targetArn: string;
  /** The dead-letter queue for calls that exhausted their retries. */
  readonly deadLetterArn?: string;
  readonly toExpressions: ToExpressions;
  readonly client?: SchedulerClient;
  /** Waits before a retry; by the timer of the system if not given. */
  readonly sleep?: Sleep;
}

/** The scheduler replaces this by the planned time of the tick. */
const PLANNED = '<aws.scheduler.scheduled-time>';
/** The suffixes of the one or two schedules of EventBridge Scheduler that a schedule consists of. */
const SUFFIXES = ['', '-2'] as const;
/** The limits of EventBridge Scheduler: a day, as for the bus. */
const RETRY = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };
const MAX_ATTEMPTS = 6;
const FIRST_DELAY_MS = 200;

/**
 * Schedules in EventBridge Scheduler: `name` and, where the cron text has both day fields, `name-2`. A minute that
 * matches both ticks twice, with the same planned time. `set` throws when `toExpressions` returns a problem.
 */
export function schedulerSchedules(options: SchedulerSchedulesOptions): Schedules {
  const client = options.client ?? new SchedulerClient({ retryMode: 'standard', maxAttempts: 6 });
  return {
    problemOf(cron) {
      const times = options.toExpressions(cron);
      return 'problem' in times ? times.problem : undefined;
    },
    async set(schedule) {
      const times = options.toExpressions(schedule.cron);
      if ('problem' in times) throw new Error(`no schedule for '${schedule.cron}': ${times.problem}`);
      for (const [index, suffix] of SUFFIXES.entries()) {
        const expression = times.expressions[index];
        const name = schedule.name + suffix;
        if (expression === undefined) await remove(client, options, name);
        else await put(client, options, { ...inputOf(options, name, schedule), ...timesOf(expression, times) });
      }
    },
    async remove(name) {
      for (const suffix of SUFFIXES) await remove(client, options, name + suffix);
    },
  };
}

type Times = Pick<CreateScheduleCommandInput, 'ScheduleExpression' | 'ScheduleExpressionTimezone'>;

const timesOf = (expression: string, { timezone }: Expressions): Required<Times> => ({
  ScheduleExpression: expression,
  ScheduleExpressionTimezone: timezone,
});

function inputOf(
  { groupName, targetArn, roleArn, deadLetterArn }: SchedulerSchedulesOptions,
  name: string,
  { target }: Schedule,
): Omit<CreateScheduleCommandInput, keyof Times> {
  return {
    Name: name,
    GroupName: groupName,
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: {
      Arn: targetArn,
      RoleArn: roleArn,
      Input: JSON.stringify({ target, planned: PLANNED }),
      RetryPolicy: RETRY,
      ...(deadLetterArn === undefined ? {} : { DeadLetterConfig: { Arn: deadLetterArn } }),
    },
  };
}

/** Creates the schedule, or updates the one that exists. */
function put(
  client: SchedulerClient,
  options: SchedulerSchedulesOptions,
  input: CreateScheduleCommandInput,
): Promise<void> {
  return retryConflicts(options, async () => {
    try {
      await client.send(new CreateScheduleCommand(input));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      await client.send(new UpdateScheduleCommand(input));
    }
  });
}

/** Deletes the schedule; one that does not exist is deleted already. */
function remove(client: SchedulerClient, options: SchedulerSchedulesOptions, name: string): Promise<void> {
  return retryConflicts(options, async () => {
    try {
      await client.send(new DeleteScheduleCommand({ Name: name, GroupName: options.groupName }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  });
}

/** Another process may create, update or delete the same schedule at the same time. */
function retryConflicts({ sleep }: SchedulerSchedulesOptions, work: () => Promise<void>): Promise<void> {
  return retry(work, {
    isTransient: (error) => error instanceof ConflictException || error instanceof ResourceNotFoundException,
    maxAttempts: MAX_ATTEMPTS,
    firstDelayMs: FIRST_DELAY_MS,
    ...(sleep && { sleep }),
  });
}

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

/** A cron text as EventBridge Scheduler writes it: `cron(0 8 ? * MON-FRI *)`; or why it cannot. */
export type ToExpressions = (cron: string) => Expressions | { readonly problem: string };

export interface Expressions {
  /** One, or two where both day fields of the cron text count. */
  readonly expressions: readonly string[];
  /** The name of the zone that they are meant in. */
  readonly timezone: string;
}

export interface SchedulerSchedulesOptions {
  readonly groupName: string;
  /** What the scheduler runs as when it calls. */
  readonly roleArn: string;
  /** The function that starts workflows; it gets `{target, planned}`, planned in RFC 3339. */
  readonly targetArn: string;
  /** The queue for calls that did not arrive. */
  readonly deadLetterArn?: string;
  readonly toExpressions: ToExpressions;
  readonly client?: SchedulerClient;
  /** Waits before another try (milliseconds); by the system's timer if not given. */
  readonly pause?: Pause;
}

type Pause = (milliseconds: number) => Promise<unknown>;

/** The scheduler puts the planned time of the tick here. */
const PLANNED = '<aws.scheduler.scheduled-time>';
/** The schedules that one of ours may consist of, by what follows its name. */
const PARTS = ['', '-2'] as const;
/** A day, as on the bus; both are the scheduler's own limits. */
const RETRY = { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 };
const MOST_TRIES = 6;

const sleep: Pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Schedules in EventBridge Scheduler, `name` and, where both day fields of the cron text count, `name-2`. A minute that
 * both of them name is told twice, with the same planned time.
 * @throws Error (set) when `toExpressions` has a problem.
 */
export function schedulerSchedules(options: SchedulerSchedulesOptions): Schedules {
  const client = options.client ?? new SchedulerClient({ retryMode: 'standard', maxAttempts: 6 });
  const pause = options.pause ?? sleep;
  return {
    problemOf(cron) {
      const times = options.toExpressions(cron);
      return 'problem' in times ? times.problem : undefined;
    },
    async set(schedule) {
      const times = options.toExpressions(schedule.cron);
      if ('problem' in times) throw new Error(`no schedule for '${schedule.cron}': ${times.problem}`);
      for (const [index, part] of PARTS.entries()) {
        const expression = times.expressions[index];
        const name = schedule.name + part;
        if (expression === undefined) await drop(client, options, name, pause);
        else await put(client, { ...inputOf(options, name, schedule), ...timesOf(expression, times) }, pause);
      }
    },
    async remove(name) {
      for (const part of PARTS) await drop(client, options, name + part, pause);
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

/** Made, or changed where it is there; whoever makes or removes it at the same moment is waited for. */
async function put(client: SchedulerClient, input: CreateScheduleCommandInput, pause: Pause): Promise<void> {
  await persist(pause, async () => {
    try {
      await client.send(new CreateScheduleCommand(input));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      await client.send(new UpdateScheduleCommand(input));
    }
  });
}

async function drop(
  client: SchedulerClient,
  { groupName }: SchedulerSchedulesOptions,
  name: string,
  pause: Pause,
): Promise<void> {
  await persist(pause, async () => {
    try {
      await client.send(new DeleteScheduleCommand({ Name: name, GroupName: groupName }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  });
}

/** Does it again while somebody else is at the same schedule. */
async function persist(pause: Pause, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const passes = error instanceof ConflictException || error instanceof ResourceNotFoundException;
      if (!passes || tries >= MOST_TRIES) throw error;
    }
    await pause((Math.random() + 0.5) * 100 * 2 ** tries);
  }
}

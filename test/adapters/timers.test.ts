import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schedulerTimers } from '../../lib/adapters/aws/timers.ts';
import type { Timers } from '../../lib/ports/timers.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';
import { type TimersBench, timersContract } from '../contract/timers.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

interface StoredSchedule {
  readonly ScheduleExpression: string;
  readonly Target: { readonly Input: string };
}

const timeOf = ({ ScheduleExpression }: StoredSchedule): number =>
  Date.parse(`${/^at\((.*)\)$/.exec(ScheduleExpression)?.[1]}Z`);

/** A fake of EventBridge Scheduler with one-time schedules, which ring at some second of their minute. */
class FakeScheduler {
  readonly schedules = new Map<string, StoredSchedule>();
  readonly calls: object[] = [];
  now = Date.UTC(2026, 10, 21, 12, 0, 17, 250);
  private readonly second: number;

  constructor(second: number) {
    this.second = second;
  }

  readonly reply = ({ path, bytes }: AwsRequest): Reply => {
    const name = path.replace('/schedules/', '');
    if (this.schedules.has(name)) return { ...errorReply('ConflictException'), status: 409 };
    this.schedules.set(name, JSON.parse(Buffer.from(bytes).toString('utf8')) as StoredSchedule);
    return { body: { ScheduleArn: `arn:aws:scheduler:eu-test-1:1:schedule/weft--timers/${name}` } };
  };

  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const [name, schedule] of this.schedules) {
      const minute = Math.floor(timeOf(schedule) / MINUTE_MS) * MINUTE_MS;
      if (minute + this.second * 1000 > this.now) continue;
      this.schedules.delete(name);
      this.calls.push(JSON.parse(schedule.Target.Input));
    }
  }
}

const open = (server: AwsServer): Timers =>
  schedulerTimers({
    groupName: 'weft--timers',
    roleArn: 'arn:aws:iam::123456789012:role/timers',
    targetArn: 'arn:aws:lambda:eu-test-1:123456789012:function:weft-steps',
    client: new SchedulerClient({ ...server.config, maxAttempts: 1 }),
  });

describe.each([0, 31, 59])(
  'timers of EventBridge Scheduler that rings in second %i of a minute, by the contract of the port,',
  (second) => {
    timersContract(async (): Promise<TimersBench> => {
      const scheduler = new FakeScheduler(second);
      const server = await startAwsServer(scheduler.reply);
      return {
        timers: open(server),
        calls: scheduler.calls,
        now: () => scheduler.now,
        pass: async (milliseconds) => scheduler.pass(milliseconds),
        close: () => server.close(),
      };
    });
  },
);

describe('timers of EventBridge Scheduler', () => {
  let scheduler: FakeScheduler;
  let server: AwsServer;
  let replies: Reply[];
  beforeEach(async () => {
    scheduler = new FakeScheduler(0);
    replies = [];
    server = await startAwsServer((request) => replies.shift() ?? scheduler.reply(request));
  });
  afterEach(() => server.close());

  const timer = { name: 'run.1.0a', at: Date.UTC(2026, 10, 21, 13, 0, 0, 1), input: { run: 'run', timer: 1 } };

  test('are schedules of the first full minute that is not before the time, which are deleted then', async () => {
    await open(server).set(timer);
    expect(scheduler.schedules.get('run.1.0a')).toMatchObject({
      GroupName: 'weft--timers',
      ScheduleExpression: 'at(2026-11-21T13:01:00)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: 'arn:aws:lambda:eu-test-1:123456789012:function:weft-steps',
        RoleArn: 'arn:aws:iam::123456789012:role/timers',
        Input: '{"run":"run","timer":1}',
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      },
    });
  });

  test('a full minute is not rounded', async () => {
    await open(server).set({ ...timer, at: timer.at - 1 });
    expect(scheduler.schedules.get('run.1.0a')?.ScheduleExpression).toBe('at(2026-11-21T13:00:00)');
  });

  test.each(['ThrottlingException', 'ServiceQuotaExceededException'])(
    'are not set when their quota is exhausted: %s',
    async (name) => {
      replies = [{ ...errorReply(name), status: name === 'ThrottlingException' ? 429 : 402 }];
      expect(await open(server).set(timer)).toBe(false);
      expect(scheduler.schedules.size).toBe(0);
    },
  );

  test('any other error is thrown', async () => {
    replies = [errorReply('ValidationException')];
    await expect(open(server).set(timer)).rejects.toThrow('ValidationException');
  });
});

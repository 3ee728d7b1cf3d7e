import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schedulerSchedules, type ToExpressions } from '../../lib/adapters/aws/schedules.ts';
import type { Schedule, Schedules } from '../../lib/ports/schedules.ts';
import { type SchedulesBench, scheduleOf, schedulesContract, type Told, tickAfter } from '../contract/schedules.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

interface Kept {
  readonly ScheduleExpression: string;
  readonly Target: { readonly Input: string };
}

/** `every 20 or 30` is two expressions here, as a pattern with two day fields is. */
const toExpressions: ToExpressions = (cron) =>
  cron === 'bad' ? { problem: 'it is bad' } : { expressions: cron.split(' or '), timezone: 'Europe/Berlin' };

/** The scheduler: schedules of one group by name, which tick while time passes. */
class Cloud {
  readonly schedules = new Map<string, Kept>();
  readonly told: Told[] = [];
  now = Date.UTC(2026, 10, 21, 12);

  readonly answer = ({ method, path, bytes }: AwsRequest): Reply => {
    const name = path.replace('/schedules/', '');
    const isThere = this.schedules.has(name);
    if (method === 'POST' && isThere) return { ...errorReply('ConflictException'), status: 409 };
    if (method !== 'POST' && !isThere) return { ...errorReply('ResourceNotFoundException'), status: 404 };
    if (method === 'DELETE') this.schedules.delete(name);
    else this.schedules.set(name, JSON.parse(Buffer.from(bytes).toString('utf8')) as Kept);
    return { body: { ScheduleArn: `arn:aws:scheduler:eu-test-1:1:schedule/weft/${name}` } };
  };

  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (const { ScheduleExpression, Target } of this.schedules.values()) {
      for (let at = this.now; ; ) {
        const next = tickAfter(ScheduleExpression, at);
        if (next === undefined || next > end) break;
        at = next;
        const input = Target.Input.replace('<aws.scheduler.scheduled-time>', new Date(at).toISOString());
        const { target, planned } = JSON.parse(input) as { target: Schedule['target']; planned: string };
        this.told.push({ target, planned: Date.parse(planned) });
      }
    }
    this.now = end;
  }
}

function open(server: AwsServer, more: { readonly deadLetterArn?: string } = {}): Schedules {
  return schedulerSchedules({
    groupName: 'weft',
    roleArn: 'arn:aws:iam::123456789012:role/schedules',
    targetArn: 'arn:aws:lambda:eu-test-1:123456789012:function:weft-cron',
    toExpressions,
    client: new SchedulerClient({ ...server.config, maxAttempts: 1 }),
    pause: async () => undefined,
    ...more,
  });
}

describe('schedules in EventBridge Scheduler keep the law of the port', () => {
  schedulesContract(async (): Promise<SchedulesBench> => {
    const cloud = new Cloud();
    const server = await startAwsServer(cloud.answer);
    return {
      schedules: open(server),
      told: cloud.told,
      now: () => cloud.now,
      pass: async (milliseconds) => cloud.pass(milliseconds),
      close: () => server.close(),
    };
  });
});

describe('schedules in EventBridge Scheduler', () => {
  let cloud: Cloud;
  let server: AwsServer;
  let replies: Reply[];
  beforeEach(async () => {
    cloud = new Cloud();
    replies = [];
    server = await startAwsServer((asked) => replies.shift() ?? cloud.answer(asked));
  });
  afterEach(() => server.close());

  const calls = (): string[] =>
    server.requests.map(({ method, path }) => `${method} ${path.replace('/schedules/', '')}`);
  const conflict: Reply = { ...errorReply('ConflictException'), status: 409 };
  const absent: Reply = { ...errorReply('ResourceNotFoundException'), status: 404 };

  test('a schedule calls the function with its target and the planned time, for a day', async () => {
    await open(server, { deadLetterArn: 'arn:aws:sqs:eu-test-1:1:failed' }).set(scheduleOf('a', 'every 20'));
    expect(cloud.schedules.get('a')).toMatchObject({
      GroupName: 'weft',
      ScheduleExpression: 'every 20',
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      Target: {
        Arn: 'arn:aws:lambda:eu-test-1:123456789012:function:weft-cron',
        RoleArn: 'arn:aws:iam::123456789012:role/schedules',
        Input: JSON.stringify({
          target: { id: 'a-id', namespace: 'orders', workflow: '/a' },
          planned: '<aws.scheduler.scheduled-time>',
        }),
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        DeadLetterConfig: { Arn: 'arn:aws:sqs:eu-test-1:1:failed' },
      },
    });
  });

  test('one of two patterns is two schedules; with one pattern the second goes', async () => {
    await open(server).set(scheduleOf('a', 'every 20 or 30'));
    expect([...cloud.schedules.keys()]).toEqual(['a', 'a-2']);
    await open(server).set(scheduleOf('a', 'every 20'));
    expect([...cloud.schedules.keys()]).toEqual(['a']);
  });

  test('what is there is changed, all of it', async () => {
    await open(server).set(scheduleOf('a', 'every 20'));
    await open(server).set(scheduleOf('a', 'every 30'));
    expect(calls().slice(2)).toEqual(['POST a', 'PUT a', 'DELETE a-2']);
    expect(cloud.schedules.get('a')).toMatchObject({ ScheduleExpression: 'every 30', GroupName: 'weft' });
  });

  test('one that comes and goes meanwhile is set all the same', async () => {
    replies = [conflict, absent, conflict, conflict];
    await open(server).set(scheduleOf('a', 'every 20'));
    expect(calls().slice(0, 5)).toEqual(['POST a', 'PUT a', 'POST a', 'PUT a', 'POST a']);
    expect([...cloud.schedules.keys()]).toEqual(['a']);
  });

  test('a removal goes on when somebody changes the schedule at that moment, and from its own group', async () => {
    await open(server).set(scheduleOf('a', 'every 20 or 30'));
    replies = [conflict];
    await open(server).remove('a');
    expect([...cloud.schedules.keys()]).toEqual([]);
    expect(server.requests.at(-1)?.query.get('groupName')).toBe('weft');
  });

  test('an endless quarrel is an error', async () => {
    replies = Array.from({ length: 50 }, () => conflict);
    await expect(open(server).remove('a')).rejects.toThrow('ConflictException');
  });

  test('another refusal is thrown at once', async () => {
    replies = [errorReply('ValidationException')];
    await expect(open(server).set(scheduleOf('a', 'every 20'))).rejects.toThrow('ValidationException');
    expect(calls()).toEqual(['POST a']);
  });

  test('a cron text that the scheduler has no words for is refused before anything is done', async () => {
    await expect(open(server).set(scheduleOf('a', 'bad'))).rejects.toThrow("no schedule for 'bad': it is bad");
    expect(calls()).toEqual([]);
  });
});

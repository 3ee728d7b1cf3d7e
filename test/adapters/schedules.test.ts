import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schedulerSchedules, type ToExpressions } from '../../lib/adapters/aws/schedules.ts';
import type { Schedule, Schedules } from '../../lib/ports/schedules.ts';
import {
  type Delivered,
  type SchedulesBench,
  scheduleOf,
  schedulesContract,
  tickAfter,
} from '../contract/schedules.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

interface StoredSchedule {
  readonly ScheduleExpression: string;
  readonly Target: { readonly Input: string };
}

/** `every 20 or 30` becomes two expressions, like a cron pattern with two day fields. */
const toExpressions: ToExpressions = (cron) =>
  cron === 'bad' ? { problem: 'it is bad' } : { expressions: cron.split(' or '), timezone: 'Europe/Berlin' };

/** A fake of EventBridge Scheduler with the schedules of one group. */
class FakeScheduler {
  readonly schedules = new Map<string, StoredSchedule>();
  readonly delivered: Delivered[] = [];
  now = Date.UTC(2026, 10, 21, 12);

  readonly reply = ({ method, path, bytes }: AwsRequest): Reply => {
    const name = path.replace('/schedules/', '');
    const exists = this.schedules.has(name);
    if (method === 'POST' && exists) return { ...errorReply('ConflictException'), status: 409 };
    if (method !== 'POST' && !exists) return { ...errorReply('ResourceNotFoundException'), status: 404 };
    if (method === 'DELETE') this.schedules.delete(name);
    else this.schedules.set(name, JSON.parse(Buffer.from(bytes).toString('utf8')) as StoredSchedule);
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
        this.delivered.push({ target, planned: Date.parse(planned) });
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
    sleep: async () => undefined,
    ...more,
  });
}

describe('schedules in EventBridge Scheduler, by the contract of the port,', () => {
  schedulesContract(async (): Promise<SchedulesBench> => {
    const scheduler = new FakeScheduler();
    const server = await startAwsServer(scheduler.reply);
    return {
      schedules: open(server),
      delivered: scheduler.delivered,
      now: () => scheduler.now,
      pass: async (milliseconds) => scheduler.pass(milliseconds),
      close: () => server.close(),
    };
  });
});

describe('schedules in EventBridge Scheduler', () => {
  let scheduler: FakeScheduler;
  let server: AwsServer;
  let replies: Reply[];
  beforeEach(async () => {
    scheduler = new FakeScheduler();
    replies = [];
    server = await startAwsServer((request) => replies.shift() ?? scheduler.reply(request));
  });
  afterEach(() => server.close());

  const calls = (): string[] =>
    server.requests.map(({ method, path }) => `${method} ${path.replace('/schedules/', '')}`);
  const conflict: Reply = { ...errorReply('ConflictException'), status: 409 };
  const absent: Reply = { ...errorReply('ResourceNotFoundException'), status: 404 };

  test('a schedule calls the function with its target and the planned time, for a day', async () => {
    await open(server, { deadLetterArn: 'arn:aws:sqs:eu-test-1:1:failed' }).set(scheduleOf('a', 'every 20'));
    expect(scheduler.schedules.get('a')).toMatchObject({
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

  test('a cron pattern with two expressions is two schedules; with one expression the second is deleted', async () => {
    await open(server).set(scheduleOf('a', 'every 20 or 30'));
    expect([...scheduler.schedules.keys()]).toEqual(['a', 'a-2']);
    await open(server).set(scheduleOf('a', 'every 20'));
    expect([...scheduler.schedules.keys()]).toEqual(['a']);
  });

  test('an existing schedule is replaced as a whole', async () => {
    await open(server).set(scheduleOf('a', 'every 20'));
    await open(server).set(scheduleOf('a', 'every 30'));
    expect(calls().slice(2)).toEqual(['POST a', 'PUT a', 'DELETE a-2']);
    expect(scheduler.schedules.get('a')).toMatchObject({ ScheduleExpression: 'every 30', GroupName: 'weft' });
  });

  test('a schedule that is created and deleted concurrently is set', async () => {
    replies = [conflict, absent, conflict, conflict];
    await open(server).set(scheduleOf('a', 'every 20'));
    expect(calls().slice(0, 5)).toEqual(['POST a', 'PUT a', 'POST a', 'PUT a', 'POST a']);
    expect([...scheduler.schedules.keys()]).toEqual(['a']);
  });

  test('a schedule that is changed concurrently is removed, and from its own group', async () => {
    await open(server).set(scheduleOf('a', 'every 20 or 30'));
    replies = [conflict];
    await open(server).remove('a');
    expect([...scheduler.schedules.keys()]).toEqual([]);
    expect(server.requests.at(-1)?.query.get('groupName')).toBe('weft');
  });

  test('a lasting conflict is an error', async () => {
    replies = Array.from({ length: 50 }, () => conflict);
    await expect(open(server).remove('a')).rejects.toThrow('ConflictException');
  });

  test('another error is thrown without a retry', async () => {
    replies = [errorReply('ValidationException')];
    await expect(open(server).set(scheduleOf('a', 'every 20'))).rejects.toThrow('ValidationException');
    expect(calls()).toEqual(['POST a']);
  });

  test('a cron pattern that the scheduler cannot express is rejected before any request', async () => {
    await expect(open(server).set(scheduleOf('a', 'bad'))).rejects.toThrow("no schedule for 'bad': it is bad");
    expect(calls()).toEqual([]);
  });
});

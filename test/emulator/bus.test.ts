import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateScheduleGroupCommand, GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventBridgeBus } from '../../lib/adapters/aws/bus.ts';
import { schedulerSchedules } from '../../lib/adapters/aws/schedules.ts';
import type { Bus, Message } from '../../lib/ports/bus.ts';
import { ofType, resourcesOf } from '../cdk/stack.ts';
import { messageOf } from '../contract/bus.ts';
import { scheduleOf } from '../contract/schedules.ts';
import { startMiniStack } from './ministack.ts';
import { UnavailableError } from './python-packages.ts';

/** The time to install the emulator, which happens once, and to synthesize the template. */
const MAX_INSTALL_MS = 180_000;
const MAX_DELIVERY_MS = 20_000;
const ROLE = 'arn:aws:iam::000000000000:role/any';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:received';

/** With the rule and the delay machine of the template, and a queue as the subscriber. */
describe('the bus and the schedules on an emulator of AWS', () => {
  let stack: Awaited<ReturnType<typeof startMiniStack>>;
  let missing: string | undefined;
  let bus: Bus;
  let config: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };

  const requestQueue = async (operation: string, input: object): Promise<Record<string, unknown>> => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AmazonSQS.${operation}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20261121/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0',
    };
    const answer = await fetch(stack.url, { method: 'POST', headers, body: JSON.stringify(input) });
    return (await answer.json()) as Record<string, unknown>;
  };

  beforeAll(async () => {
    try {
      stack = await startMiniStack();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      missing = error.message;
      console.warn(`The bus is not tested on the emulator: ${missing}`);
      return;
    }
    config = {
      endpoint: stack.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    };
    const resources = resourcesOf();
    const propertiesOf = (type: string, id = ''): Record<string, unknown> =>
      ofType(resources, type).find(([name]) => name.startsWith(id))?.[1].Properties ?? {};
    const [events, sfn] = [new EventBridgeClient(config), new SFNClient(config)];
    await events.send(new CreateEventBusCommand({ Name: 'weft' }));
    const EventPattern = JSON.stringify(propertiesOf('AWS::Events::Rule', 'BusRoute')['EventPattern']);
    await requestQueue('CreateQueue', { QueueName: 'received' });
    await events.send(new PutRuleCommand({ Name: 'route', EventBusName: 'weft', EventPattern }));
    await events.send(
      new PutTargetsCommand({ Rule: 'route', EventBusName: 'weft', Targets: [{ Id: 'q', Arn: QUEUE }] }),
    );
    const definition = String(propertiesOf('AWS::StepFunctions::StateMachine', 'BusDelay')['DefinitionString']);
    const machine = { name: 'weft_delay', definition, roleArn: ROLE };
    const { stateMachineArn = '' } = await sfn.send(new CreateStateMachineCommand(machine));
    bus = eventBridgeBus({
      busName: 'weft',
      source: 'service.namespaces',
      delayMachineArn: stateMachineArn,
      client: events,
      sfn,
    });
  }, MAX_INSTALL_MS);
  afterAll(() => stack?.stop());
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  /** The next message of the queue. */
  const received = async (): Promise<Message> => {
    const end = performance.now() + MAX_DELIVERY_MS;
    while (performance.now() < end) {
      const { Messages = [] } = (await requestQueue('ReceiveMessage', {
        QueueUrl: `${stack.url}/000000000000/received`,
      })) as {
        Messages?: { Body: string; ReceiptHandle: string }[];
      };
      const [first] = Messages;
      if (first !== undefined) {
        await requestQueue('DeleteMessage', {
          QueueUrl: `${stack.url}/000000000000/received`,
          ReceiptHandle: first.ReceiptHandle,
        });
        return (JSON.parse(first.Body) as { detail: Message }).detail;
      }
      await sleep(100);
    }
    throw new Error('no message was received');
  };

  test('a message matches the rule of the router, and arrives unchanged', async () => {
    const message = messageOf('now');
    await bus.publish([message]);
    expect(await received()).toEqual(message);
  });

  test('a delayed message arrives through the delay machine', async () => {
    const message = messageOf('later', { event: '{"quote":"\\"","number":12345678901234567890}' });
    await bus.publishAt(Date.now() + 1000, 'later', message);
    await bus.publishAt(Date.now() + 1000, 'later', messageOf('again'));
    expect(await received()).toEqual(message);
  });

  test('schedules are created, changed and deleted', async () => {
    const client = new SchedulerClient(config);
    await client.send(new CreateScheduleGroupCommand({ Name: 'weft' }));
    const schedules = schedulerSchedules({
      groupName: 'weft',
      roleArn: ROLE,
      targetArn: 'arn:aws:lambda:us-east-1:000000000000:function:weft-cron',
      toExpressions: (cron) => ({ expressions: cron.split(' or '), timezone: 'Europe/Berlin' }),
      client,
    });
    const find = (Name: string) =>
      client.send(new GetScheduleCommand({ Name, GroupName: 'weft' })).then(
        ({ ScheduleExpression }) => ScheduleExpression,
        ({ name }: Error) => name,
      );
    await schedules.set(scheduleOf('a', 'rate(1 hour) or rate(2 hours)'));
    expect([await find('a'), await find('a-2')]).toEqual(['rate(1 hour)', 'rate(2 hours)']);
    await schedules.set(scheduleOf('a', 'rate(3 hours)'));
    expect([await find('a'), await find('a-2')]).toEqual(['rate(3 hours)', 'ResourceNotFoundException']);
    await schedules.remove('a');
    expect(await find('a')).toBe('ResourceNotFoundException');
  });
});

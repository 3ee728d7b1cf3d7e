import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventBridgeBus } from '../../lib/adapters/aws/bus.ts';
import type { Bus, Message } from '../../lib/ports/bus.ts';
import { type BusBench, busContract, messageOf } from '../contract/bus.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

interface Entry {
  readonly EventBusName: string;
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

const MACHINE = 'arn:aws:states:eu-test-1:123456789012:stateMachine:weft_delay';
const entriesOf = ({ input }: AwsRequest): Entry[] => input['Entries'] as Entry[];
const sizeOf = ({ Source, DetailType, Detail }: Entry): number => Buffer.byteLength(Source + DetailType + Detail);
const textOf = (asked: AwsRequest, name: string): string => String(asked.input[name]);

/** EventBridge and Step Functions as the bus needs them: a bus, and a machine that waits until `at`. */
class Cloud {
  readonly delivered: { message: Message; at: number }[] = [];
  readonly #waiting: { due: number; message: Message }[] = [];
  readonly #names = new Set<string>();
  now = Date.UTC(2026, 10, 21, 12);

  readonly answer = (asked: AwsRequest): Reply => {
    if (asked.operation === 'PutEvents') return this.#put(entriesOf(asked));
    if (asked.operation === 'StartExecution') return this.#start(asked);
    return errorReply('UnknownOperationException');
  };

  pass(milliseconds: number): void {
    this.now += milliseconds;
    const due = this.#waiting.filter((one) => one.due <= this.now).toSorted((a, b) => a.due - b.due);
    for (const one of due) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      this.delivered.push({ message: one.message, at: one.due });
    }
  }

  #put(entries: readonly Entry[]): Reply {
    if (entries.length > 10) return errorReply('ValidationException');
    if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > 1_048_576) return errorReply('ValidationException');
    for (const { Detail } of entries) this.delivered.push({ message: JSON.parse(Detail) as Message, at: this.now });
    return { body: { FailedEntryCount: 0, Entries: entries.map((_, index) => ({ EventId: `e${index}` })) } };
  }

  #start(asked: AwsRequest): Reply {
    const [name, input] = [textOf(asked, 'name'), textOf(asked, 'input')];
    if (!/^[\w-]{1,80}$/.test(name)) return errorReply('InvalidName');
    if (Buffer.byteLength(input) > 262_144) return errorReply('InvalidExecutionInput');
    if (this.#names.has(name)) return errorReply('ExecutionAlreadyExists');
    this.#names.add(name);
    const { at, detail } = JSON.parse(input) as { readonly at: string; readonly detail: Message };
    this.#waiting.push({ due: Math.max(Date.parse(at), this.now), message: detail });
    return { body: { executionArn: `${MACHINE}:${name}`, startDate: 1 } };
  }
}

function open(server: AwsServer, pauses: number[] = []): Bus {
  const once = { ...server.config, maxAttempts: 1 };
  return eventBridgeBus({
    busName: 'weft',
    source: 'service.namespaces',
    delayMachineArn: MACHINE,
    client: new EventBridgeClient(once),
    sfn: new SFNClient(once),
    pause: async (milliseconds) => pauses.push(milliseconds),
  });
}

describe('the bus in EventBridge keeps the law of the port', () => {
  busContract(async (): Promise<BusBench> => {
    const cloud = new Cloud();
    const server = await startAwsServer(cloud.answer);
    return {
      bus: open(server),
      delivered: cloud.delivered,
      now: () => cloud.now,
      pass: async (milliseconds) => cloud.pass(milliseconds),
      close: () => server.close(),
    };
  });
});

describe('the bus in EventBridge', () => {
  let cloud: Cloud;
  let server: AwsServer;
  let bus: Bus;
  let pauses: number[];
  /** What the service answers first, one after the other; then as the cloud does. */
  let replies: Reply[];
  beforeEach(async () => {
    cloud = new Cloud();
    pauses = [];
    replies = [];
    server = await startAwsServer((asked) => replies.shift() ?? cloud.answer(asked));
    bus = open(server, pauses);
  });
  afterEach(() => server.close());

  const ids = (asked: AwsRequest | undefined): string[] =>
    asked ? entriesOf(asked).map(({ Detail }) => (JSON.parse(Detail) as Message).id) : [];
  const results = (...entries: object[]): Reply => ({
    body: { FailedEntryCount: entries.filter((entry) => 'ErrorCode' in entry).length, Entries: entries },
  });
  const throttled = { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' };

  test('a message is an event of its type, from the installation’s namespaces, with the message as its detail', async () => {
    const message = messageOf('a');
    await bus.publish([message]);
    expect(server.requests.map(entriesOf)).toEqual([
      [
        {
          EventBusName: 'weft',
          Source: 'service.namespaces',
          DetailType: 'com.example.made',
          Detail: JSON.stringify(message),
        },
      ],
    ]);
  });

  test('messages go ten at a time, in their order', async () => {
    await bus.publish(Array.from({ length: 23 }, (_, index) => messageOf(`m${index}`)));
    expect(server.requests.map((asked) => ids(asked).length)).toEqual([10, 10, 3]);
    expect(server.requests.flatMap(ids)).toEqual(Array.from({ length: 23 }, (_, index) => `m${index}`));
  });

  test('large messages go fewer at a time: a request carries a megabyte, in bytes', async () => {
    const event = 'é'.repeat(150_000);
    await bus.publish(Array.from({ length: 7 }, (_, index) => messageOf(`m${index}`, { event })));
    expect(server.requests.map((asked) => ids(asked).length)).toEqual([3, 3, 1]);
  });

  test('a message too large for any request goes without its event, and takes nothing from others', async () => {
    await bus.publish([messageOf('a'), messageOf('b', { event: 'x'.repeat(1_100_000) }), messageOf('c')]);
    expect(cloud.delivered.map(({ message }) => [message.id, message.event !== undefined])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
  });

  test('a message too large to wait in an execution waits without its event', async () => {
    await bus.publishAt(cloud.now, 'a', messageOf('a', { event: 'x'.repeat(240_000) }));
    await bus.publishAt(cloud.now, 'b', messageOf('b', { event: 'x'.repeat(262_000) }));
    cloud.pass(1);
    expect(cloud.delivered.map(({ message }) => [message.id, message.event !== undefined])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  test('a long type is cut for the pattern of rules, between letters', async () => {
    await bus.publish([messageOf('a', { type: `x${'🎿'.repeat(100)}` })]);
    const [[entry] = []] = server.requests.map(entriesOf);
    expect(entry?.DetailType).toHaveLength(128);
    expect(entry?.DetailType.isWellFormed()).toBe(true);
  });

  test('of a request that succeeds in part, what failed is put again, and nothing else', async () => {
    replies = [results({ EventId: '1' }, throttled, { EventId: '3' }, { ErrorCode: 'InternalFailure' })];
    await bus.publish(['a', 'b', 'c', 'd'].map((id) => messageOf(id)));
    expect(server.requests.map(ids)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['b', 'd'],
    ]);
    expect(pauses).toHaveLength(1);
  });

  test('the pauses before another try grow, each a little at random', async () => {
    replies = Array.from({ length: 7 }, () => results(throttled));
    await bus.publish([messageOf('a')]);
    expect(server.requests).toHaveLength(8);
    for (const [index, pause] of pauses.entries()) {
      const middle = Math.min(5000, 100 * 2 ** (index + 1));
      expect(pause).toBeGreaterThanOrEqual(middle / 2);
      expect(pause).toBeLessThanOrEqual(middle * 1.5);
    }
  });

  test('what is refused for ever so long is an error that tells why', async () => {
    replies = Array.from({ length: 20 }, () => results(throttled));
    await expect(bus.publish([messageOf('a')])).rejects.toThrow('ThrottlingException: slow down');
    expect(server.requests).toHaveLength(8);
  });

  test('what can never be accepted is not tried again', async () => {
    replies = [results({ ErrorCode: 'NotAuthorizedForSource', ErrorMessage: 'no' })];
    await expect(bus.publish([messageOf('a')])).rejects.toThrow('NotAuthorizedForSource: no');
    expect(server.requests).toHaveLength(1);
  });

  test('an answer that does not say what became of a message counts as a refusal', async () => {
    replies = [{ body: {} }, results({})];
    await bus.publish([messageOf('a')]);
    expect(server.requests).toHaveLength(3);
  });

  test('the delay machine is told when, and what to put on the bus', async () => {
    const message = messageOf('a');
    await bus.publishAt(Date.UTC(2026, 10, 21, 12, 0, 0, 500), 'event-a', message);
    const [asked] = server.requests;
    expect(asked).toMatchObject({ operation: 'StartExecution', input: { stateMachineArn: MACHINE, name: 'event-a' } });
    expect(JSON.parse(String(asked?.input['input']))).toEqual({
      at: '2026-11-21T12:00:00.500Z',
      source: 'service.namespaces',
      type: 'com.example.made',
      detail: message,
    });
  });

  test('another refusal of the delay machine is thrown', async () => {
    replies = [errorReply('StateMachineDoesNotExist')];
    await expect(bus.publishAt(cloud.now, 'a', messageOf('a'))).rejects.toThrow('StateMachineDoesNotExist');
  });
});

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
const textOf = (request: AwsRequest, name: string): string => String(request.input[name]);

/** A fake of EventBridge and Step Functions: a bus, and a machine that waits until `at`. */
class FakeAws {
  readonly delivered: { message: Message; at: number }[] = [];
  readonly #waiting: { due: number; message: Message }[] = [];
  readonly #names = new Set<string>();
  now = Date.UTC(2026, 10, 21, 12);

  readonly reply = (request: AwsRequest): Reply => {
    if (request.operation === 'PutEvents') return this.#put(entriesOf(request));
    if (request.operation === 'StartExecution') return this.#start(request);
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

  #start(request: AwsRequest): Reply {
    const [name, input] = [textOf(request, 'name'), textOf(request, 'input')];
    if (!/^[\w-]{1,80}$/.test(name)) return errorReply('InvalidName');
    if (Buffer.byteLength(input) > 262_144) return errorReply('InvalidExecutionInput');
    if (this.#names.has(name)) return errorReply('ExecutionAlreadyExists');
    this.#names.add(name);
    const { at, detail } = JSON.parse(input) as { readonly at: string; readonly detail: Message };
    this.#waiting.push({ due: Math.max(Date.parse(at), this.now), message: detail });
    return { body: { executionArn: `${MACHINE}:${name}`, startDate: 1 } };
  }
}

function open(server: AwsServer, delays: number[] = []): Bus {
  const once = { ...server.config, maxAttempts: 1 };
  return eventBridgeBus({
    busName: 'weft',
    source: 'service.namespaces',
    delayMachineArn: MACHINE,
    client: new EventBridgeClient(once),
    sfn: new SFNClient(once),
    sleep: async (milliseconds) => delays.push(milliseconds),
  });
}

describe('the bus in EventBridge, by the contract of the port,', () => {
  busContract(async (): Promise<BusBench> => {
    const fakeAws = new FakeAws();
    const server = await startAwsServer(fakeAws.reply);
    return {
      bus: open(server),
      delivered: fakeAws.delivered,
      now: () => fakeAws.now,
      pass: async (milliseconds) => fakeAws.pass(milliseconds),
      close: () => server.close(),
    };
  });
});

describe('the bus in EventBridge', () => {
  let fakeAws: FakeAws;
  let server: AwsServer;
  let bus: Bus;
  let delays: number[];
  /** The first replies, in order; after them, the fake replies. */
  let replies: Reply[];
  beforeEach(async () => {
    fakeAws = new FakeAws();
    delays = [];
    replies = [];
    server = await startAwsServer((request) => replies.shift() ?? fakeAws.reply(request));
    bus = open(server, delays);
  });
  afterEach(() => server.close());

  const ids = (request: AwsRequest | undefined): string[] =>
    request ? entriesOf(request).map(({ Detail }) => (JSON.parse(Detail) as Message).id) : [];
  const results = (...entries: object[]): Reply => ({
    body: { FailedEntryCount: entries.filter((entry) => 'ErrorCode' in entry).length, Entries: entries },
  });
  const throttled = { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' };

  test('a message is an event with its type, the source of the installation, and the message as its detail', async () => {
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

  test('messages are published in order, ten in a request', async () => {
    await bus.publish(Array.from({ length: 23 }, (_, index) => messageOf(`m${index}`)));
    expect(server.requests.map((request) => ids(request).length)).toEqual([10, 10, 3]);
    expect(server.requests.flatMap(ids)).toEqual(Array.from({ length: 23 }, (_, index) => `m${index}`));
  });

  test('large messages are published with fewer in a request, which has at most a megabyte', async () => {
    const event = 'é'.repeat(150_000);
    await bus.publish(Array.from({ length: 7 }, (_, index) => messageOf(`m${index}`, { event })));
    expect(server.requests.map((request) => ids(request).length)).toEqual([3, 3, 1]);
  });

  test('a message that is too large for a request is published without its event; others keep theirs', async () => {
    await bus.publish([messageOf('a'), messageOf('b', { event: 'x'.repeat(1_100_000) }), messageOf('c')]);
    expect(fakeAws.delivered.map(({ message }) => [message.id, message.event !== undefined])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
  });

  test('a delayed message that is too large for an execution is published without its event', async () => {
    await bus.publishAt(fakeAws.now, 'a', messageOf('a', { event: 'x'.repeat(240_000) }));
    await bus.publishAt(fakeAws.now, 'b', messageOf('b', { event: 'x'.repeat(262_000) }));
    fakeAws.pass(1);
    expect(fakeAws.delivered.map(({ message }) => [message.id, message.event !== undefined])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });

  test('a long type is truncated to what rules match, between characters', async () => {
    await bus.publish([messageOf('a', { type: `x${'🎿'.repeat(100)}` })]);
    const [[entry] = []] = server.requests.map(entriesOf);
    expect(entry?.DetailType).toHaveLength(128);
    expect(entry?.DetailType.isWellFormed()).toBe(true);
  });

  test('of a request that succeeds in part, only the failed entries are repeated', async () => {
    replies = [results({ EventId: '1' }, throttled, { EventId: '3' }, { ErrorCode: 'InternalFailure' })];
    await bus.publish(['a', 'b', 'c', 'd'].map((id) => messageOf(id)));
    expect(server.requests.map(ids)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['b', 'd'],
    ]);
    expect(delays).toHaveLength(1);
  });

  test('retries follow with exponential backoff and jitter', async () => {
    replies = Array.from({ length: 7 }, () => results(throttled));
    await bus.publish([messageOf('a')]);
    expect(server.requests).toHaveLength(8);
    for (const [index, sleep] of delays.entries()) {
      const middle = Math.min(5000, 100 * 2 ** (index + 1));
      expect(sleep).toBeGreaterThanOrEqual(middle / 2);
      expect(sleep).toBeLessThanOrEqual(middle * 1.5);
    }
  });

  test('a message that is rejected in every attempt throws the reason', async () => {
    replies = Array.from({ length: 20 }, () => results(throttled));
    await expect(bus.publish([messageOf('a')])).rejects.toThrow('ThrottlingException: slow down');
    expect(server.requests).toHaveLength(8);
  });

  test('a permanent error is not retried', async () => {
    replies = [results({ ErrorCode: 'NotAuthorizedForSource', ErrorMessage: 'no' })];
    await expect(bus.publish([messageOf('a')])).rejects.toThrow('NotAuthorizedForSource: no');
    expect(server.requests).toHaveLength(1);
  });

  test('a response without the result of a message counts as a rejection', async () => {
    replies = [{ body: {} }, results({})];
    await bus.publish([messageOf('a')]);
    expect(server.requests).toHaveLength(3);
  });

  test('the delay machine gets the time and the event', async () => {
    const message = messageOf('a');
    await bus.publishAt(Date.UTC(2026, 10, 21, 12, 0, 0, 500), 'event-a', message);
    const [request] = server.requests;
    expect(request).toMatchObject({
      operation: 'StartExecution',
      input: { stateMachineArn: MACHINE, name: 'event-a' },
    });
    expect(JSON.parse(String(request?.input['input']))).toEqual({
      at: '2026-11-21T12:00:00.500Z',
      source: 'service.namespaces',
      type: 'com.example.made',
      detail: message,
    });
  });

  test('another error of the delay machine is thrown', async () => {
    replies = [errorReply('StateMachineDoesNotExist')];
    await expect(bus.publishAt(fakeAws.now, 'a', messageOf('a'))).rejects.toThrow('StateMachineDoesNotExist');
  });
});

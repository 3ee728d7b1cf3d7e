import { Duration } from 'aws-cdk-lib';
import { afterEach, expect, test } from 'vitest';
import { redriveMachine } from '../../cdk/functions/redrive.ts';
import { type LocalExecutions, localExecutions } from '../../lib/adapters/local/executions/executions.ts';
import { owning } from '../adapters/local/owning.ts';
import { VirtualTime } from '../adapters/local/virtual-time.ts';

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
}

type State = Record<string, unknown>;

/**
 * A queue with long messages, behind the requests of the machine; it hides the messages that it has delivered, as SQS
 * does.
 */
class FakeQueue {
  readonly #now: () => number;
  readonly #messages: Message[];
  readonly #hiddenUntil = new Map<string, number>();
  readonly stored: string[] = [];
  /** How many messages each call of the function had. */
  readonly batches: number[] = [];

  constructor(now: () => number, bodies: readonly string[]) {
    this.#now = now;
    this.#messages = bodies.map((Body, n) => ({ MessageId: `m${n}`, ReceiptHandle: `m${n}`, Body }));
  }

  get left(): string[] {
    return this.#messages.map(({ MessageId }) => MessageId);
  }

  readonly calls: Readonly<Record<string, (input: never) => unknown>> = {
    receiveMessage: ({ MaxNumberOfMessages: most, VisibilityTimeout: hidden }: Record<string, number>) => {
      const now = this.#now();
      const isVisible = ({ MessageId: id }: Message) => (this.#hiddenUntil.get(id) ?? 0) <= now;
      const Messages = this.#messages.filter(isVisible).slice(0, most);
      for (const { MessageId: id } of Messages) this.#hiddenUntil.set(id, now + Number(hidden) * 1000);
      return Messages.length === 0 ? {} : { Messages };
    },
    // The function that stores dead letters: one of the messages exhausts its memory.
    keep: ({ Messages }: { readonly Messages: readonly Message[] }) => {
      this.batches.push(Messages.length);
      if (Messages.some(({ Body }) => Body === 'poison'))
        throw Object.assign(new Error(), { name: 'Runtime.ExitError' });
      this.stored.push(...Messages.map(({ MessageId }) => MessageId));
      return { Entries: Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })) };
    },
    deleteMessageBatch: ({ Entries }: { readonly Entries: readonly Message[] }) => {
      const gone = new Set(Entries.map(({ ReceiptHandle }) => ReceiptHandle));
      this.#messages.splice(0, Infinity, ...this.#messages.filter(({ ReceiptHandle }) => !gone.has(ReceiptHandle)));
      return {};
    },
  };
}

/** The machine with requests to the queue as calls of functions, which the interpreter can do. */
function runnable(): string {
  const parts = { queueUrl: 'queue', functionArn: 'keep', timeout: Duration.seconds(60) };
  const machine = redriveMachine(parts) as { States: Record<string, State> };
  const asCall = (state: State): State => {
    const [, operation] = /aws-sdk:sqs:(\w+)$/.exec(String(state['Resource'])) ?? [];
    if (operation === undefined) return state;
    const Arguments = { FunctionName: operation, Payload: state['Arguments'] };
    return { ...state, Resource: 'arn:aws:states:::lambda:invoke', Arguments, Output: '{% $states.result.Payload %}' };
  };
  const States = Object.fromEntries(Object.entries(machine.States).map(([name, state]) => [name, asCall(state)]));
  return JSON.stringify({ ...machine, States });
}

let executions: LocalExecutions;
afterEach(() => executions.close());

/** Runs one execution over a queue with these messages. */
async function redrive(bodies: readonly string[]): Promise<{ queue: FakeQueue; seconds: number; status: string }> {
  const time = new VirtualTime();
  const queue = new FakeQueue(() => time.clock.now(), bodies);
  const invoke = async (name: string, payload: unknown) => queue.calls[name]?.(payload as never);
  executions = owning(':memory:', (database) => localExecutions({ database, ...time, invoke }));
  const handle = await executions.define({ name: 'redrive', definition: runnable(), tier: 'EXPRESS' });
  await executions.start(handle, 'daily', {});
  for (;;) {
    const found = executions.describe(handle, 'daily');
    if (found?.ended !== undefined) {
      return { queue, seconds: (found.ended - found.started) / 1000, status: found.status };
    }
    await time.sleep(100);
  }
}

test('dead letters are stored ten at once, and then deleted from the queue', async () => {
  const { queue, status } = await redrive(Array.from({ length: 25 }, () => 'small'));
  expect([status, queue.stored.length, queue.left, queue.batches]).toEqual(['SUCCEEDED', 25, [], [10, 10, 5]]);
});

test('a batch of more than 256 KiB is stored in single messages, once they are visible again', async () => {
  const { queue, status, seconds } = await redrive(Array.from({ length: 4 }, () => 'x'.repeat(100_000)));
  expect([status, queue.stored, queue.left, queue.batches]).toEqual([
    'SUCCEEDED',
    ['m0', 'm1', 'm2', 'm3'],
    [],
    [1, 1, 1, 1],
  ]);
  expect(seconds).toBeGreaterThanOrEqual(90);
  expect(seconds).toBeLessThan(300);
});

test('a message that ends the function stays in the queue, and the others are stored', async () => {
  const { queue, status } = await redrive(['a', 'b', 'poison', 'c', 'd']);
  expect([status, queue.stored, queue.left]).toEqual(['SUCCEEDED', ['m0', 'm1', 'm3', 'm4'], ['m2']]);
  expect(queue.batches).toEqual([5, 1, 1, 1, 1, 1]);
});

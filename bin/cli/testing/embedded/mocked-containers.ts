import { parseJson } from '../../../../lib/language/json-numbers.ts';
import type {
  ContainerCall,
  ContainerOutput,
  ContainerResult,
  ContainerRevision,
  Containers,
  OutputScope,
} from '../../../../lib/ports/containers.ts';
import { momentAfter } from '../../../../lib/testing/format/moments.ts';
import type { MockAnswer } from '../../../../lib/testing/format/suite.ts';
import { keyOfImage } from '../../../../lib/testing/mocking/functions.ts';
import type { MockScript } from '../../../../lib/testing/mocking/script.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A call that a mock received. */
export interface ReceivedCall {
  /** The id of the call; a call that is repeated after a crash has the same. */
  readonly id: string;
  /** The key of the function. */
  readonly function: string;
  /** The id of the calling run. */
  readonly caller: string;
  /** How many states the caller had entered. */
  readonly step: number;
  readonly input: unknown;
}

const failed = (code: string, message: string): ContainerResult => ({
  body: new Uint8Array(),
  failure: { code, message },
  outputs: [],
});

const OUTPUT_SCOPES: readonly OutputScope[] = ['namespace', 'workflow', 'instance'];

const outputsOf = ({ variables }: MockAnswer): ContainerOutput[] =>
  OUTPUT_SCOPES.flatMap((scope) =>
    Object.entries(variables[scope] ?? {}).map(([name, value]) => ({
      scope,
      name,
      bytes: Buffer.from(JSON.stringify(value)),
    })),
  );

function resultOf(answer: MockAnswer): ContainerResult {
  const outputs = outputsOf(answer);
  if (answer.error !== undefined) return { body: new Uint8Array(), failure: answer.error, outputs };
  return { body: Buffer.from(JSON.stringify(answer.return ?? {})), outputs };
}

const parsed = (bytes: Uint8Array): unknown => parseJson(Buffer.from(bytes).toString() || 'null');

/** The containers of a test: its mocks. They outlive the processes that call them. */
export class MockedContainers {
  readonly port: Containers;
  /** In the order in which they came, with repeated ones. */
  readonly received: ReceivedCall[] = [];
  /** Why calls could not be answered. */
  readonly problems = new Set<string>();
  readonly #script: MockScript;
  readonly #time: VirtualTime;
  readonly #images = new Map<string, string>();
  readonly #cancel = new Map<string, () => void>();

  constructor(script: MockScript, time: VirtualTime) {
    this.#script = script;
    this.#time = time;
    this.port = {
      problem: async () => undefined,
      prepare: async ({ id, image }: ContainerRevision) => void this.#images.set(id, image),
      status: async (ids) =>
        ids.map((id) => (this.#images.has(id) ? { id, state: 'ready', reason: '', message: '', pods: [] } : undefined)),
      call: (id, call) => this.#call(this.#images.get(id) ?? '', call),
      cancel: async (_id, actionId) => this.#cancel.get(actionId)?.(),
      remove: async (id) => void this.#images.delete(id),
      output: async () => undefined,
    };
  }

  async #call(image: string, { actionId: id, instanceId: caller, step, input, deadline }: ContainerCall) {
    const key = keyOfImage(image) ?? image;
    const call = { id, function: key, caller, step, input: parsed(input) };
    this.received.push(call);
    const answered = this.#script.answer(call);
    if ('problem' in answered) {
      this.problems.add(answered.problem);
      return failed('', answered.problem);
    }
    const { delay = 0 } = answered.answer;
    const now = this.#time.clock.now();
    const until = momentAfter(now, delay);
    if (until === now) return resultOf(answered.answer);
    if (until <= deadline) return this.#after(id, until - now, resultOf(answered.answer));
    return this.#after(id, Math.max(deadline - now, 0), failed('', 'the call timed out'));
  }

  #after(id: string, milliseconds: number, result: ContainerResult): Promise<ContainerResult> {
    return new Promise((resolve) => {
      const disarm = this.#time.alarm(milliseconds, () => resolve(result));
      this.#cancel.set(id, () => {
        disarm();
        resolve(failed('', 'the call was cancelled'));
      });
    });
  }
}

import type { ContainerCall, ContainerResult } from '../../../lib/ports/containers.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';

/** A call as it came. */
export interface Made {
  readonly image: string;
  readonly call: ContainerCall;
  /** The input as JSON. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a container does when it is called; `hang` is an answer that comes when the call is cancelled, or by `answer`. */
export type Act = (made: Made, hang: () => Promise<ContainerResult>) => Promise<ContainerResult> | ContainerResult;

export const body = (value: unknown): ContainerResult => bytes(Buffer.from(JSON.stringify(value)));
export const bytes = (given: Uint8Array): ContainerResult => ({ body: given, outputs: [] });
export const failed = (code: string, message: string): ContainerResult => ({
  body: new Uint8Array(),
  failure: { code, message },
  outputs: [],
});

/** Containers that do what a test says when they are called. They write down their calls and cancellations. */
export class ActingContainers extends ScriptedContainers {
  readonly made: Made[] = [];
  readonly cancelled: string[] = [];
  private readonly open = new Map<string, (result: ContainerResult) => void>();
  private readonly act: Act;

  constructor(act: Act = ({ input }) => body(input)) {
    super();
    this.act = act;
    this.call = async (id, call) => {
      const image = this.prepared.get(id)?.revision.image ?? '';
      const made = { image, call, input: JSON.parse(Buffer.from(call.input).toString()) };
      this.made.push(made);
      return this.act(made, () => new Promise((resolve) => this.open.set(call.actionId, resolve)));
    };
    this.cancel = async (_id?: string, actionId = '') => {
      this.cancelled.push(actionId);
      this.open.get(actionId)?.(failed('', 'the call was cancelled'));
    };
  }

  answer(actionId: string, result: ContainerResult): void {
    this.open.get(actionId)?.(result);
  }
}

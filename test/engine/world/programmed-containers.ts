import type { ContainerCall, ContainerResult } from '../../../lib/ports/containers.ts';
import { ScriptedContainers } from '../../contract/scripted-containers.ts';

export interface ReceivedCall {
  readonly image: string;
  readonly call: ContainerCall;
  /** The input as JSON. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** How a container answers a call. `hang`: an answer that comes when the call is cancelled, or by `answer`. */
export type Behaviour = (
  made: ReceivedCall,
  hang: () => Promise<ContainerResult>,
) => Promise<ContainerResult> | ContainerResult;

export const body = (value: unknown): ContainerResult => bytes(Buffer.from(JSON.stringify(value)));
export const bytes = (given: Uint8Array): ContainerResult => ({ body: given, outputs: [] });
export const failed = (code: string, message: string): ContainerResult => ({
  body: new Uint8Array(),
  failure: { code, message },
  outputs: [],
});

/** Containers that answer calls as a test defines. They record calls and cancellations. */
export class ProgrammedContainers extends ScriptedContainers {
  readonly received: ReceivedCall[] = [];
  readonly cancelled: string[] = [];
  private readonly open = new Map<string, (result: ContainerResult) => void>();
  private readonly act: Behaviour;

  constructor(act: Behaviour = ({ input }) => body(input)) {
    super();
    this.act = act;
    this.call = async (id, call) => {
      const image = this.prepared.get(id)?.revision.image ?? '';
      const made = { image, call, input: JSON.parse(Buffer.from(call.input).toString()) };
      this.received.push(made);
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

import { callFolder, type SidecarConfig } from './config.ts';
import { openFolder, placeEntry, removeFolder } from './files.ts';
import { FunctionCalls, type SendToHost } from './function-calls.ts';
import { CANCELLED, failedAnswer, type HostMessage } from './messages.ts';
import type { HandleRequest, HostReply } from './requests.ts';

type Handlers = {
  readonly [Name in HostMessage['do']]: (message: Extract<HostMessage, { do: Name }>, body: Buffer) => void;
};

/** The sidecar's side of the connection to the service: executes its messages, and sends it the function's requests. */
export class HostSession {
  readonly calls: FunctionCalls;
  readonly #config: SidecarConfig;
  readonly #send: SendToHost;
  readonly #pending = new Map<number, (reply: HostReply) => void>();
  /** The problems of calls whose files could not be placed, by the id of the action. */
  readonly #fileProblems = new Map<string, string>();
  #lastRequest = 0;

  constructor(config: SidecarConfig, send: SendToHost) {
    this.#config = config;
    this.#send = send;
    this.calls = new FunctionCalls(config);
  }

  /** The number of requests that wait for a reply of the service. */
  get pendingRequests(): number {
    return this.#pending.size;
  }

  /** Sends a request of the function to the service. */
  readonly request: HandleRequest = (actionId, asked, body) => {
    const rejection = this.rejectionFor(actionId);
    if (rejection !== undefined) return Promise.resolve(rejection);
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      this.#send({ say: 'ask', id, actionId, asked }, body);
    });
  };

  /** The reply to a request for a call that is not running (workflow-language reference, 11.5); undefined if it is. */
  rejectionFor(actionId: string): HostReply | undefined {
    if (this.calls.isRunning(actionId)) return undefined;
    return { status: 500, body: `no call with the id '${actionId}' is running` };
  }

  /** Ends all pending requests with this reply. */
  replyToAll(reply: HostReply): void {
    for (const resolve of this.#pending.values()) resolve(reply);
    this.#pending.clear();
  }

  /** Removes the files of an earlier attempt at the same call, so that they do not count as outputs. */
  clear(id: string): void {
    removeFolder(callFolder(this.#config, id));
  }

  /** Ends a call that did not reach the function. */
  fail(id: string, problem: string): void {
    this.#fileProblems.delete(id);
    removeFolder(callFolder(this.#config, id));
    this.#send({ say: 'done', id, answered: failedAnswer(problem) });
  }

  /** Executes a message of the service. */
  handle<Name extends HostMessage['do']>(message: Extract<HostMessage, { do: Name }>, body: Buffer): void {
    this.#handlers[message.do as Name](message, body);
  }

  readonly #handlers: Handlers = {
    probe: ({ id, ms }) => void this.calls.probe(ms).then((isUp) => this.#send({ say: 'probed', id, isUp })),
    file: ({ id, ...entry }, bytes) => {
      const folder = callFolder(this.#config, id);
      try {
        openFolder(folder);
        placeEntry(folder, entry, bytes);
      } catch (error) {
        const reason = error instanceof Error ? error.message : error;
        this.#fileProblems.set(id, `the file '${entry.path}' cannot be placed: ${reason}`);
      }
    },
    call: ({ id, headers }, input) => {
      const problem = this.#fileProblems.get(id);
      if (problem !== undefined) return this.fail(id, problem);
      this.#call(id, headers, input).catch((error: unknown) => {
        this.#send({ say: 'done', id, answered: failedAnswer(String(error)) });
      });
    },
    cancel: ({ id, ms }) => this.calls.cancel(id, ms, CANCELLED),
    answer: ({ id, status }, body) => {
      this.#pending.get(id)?.({ status, body });
      this.#pending.delete(id);
    },
  };

  async #call(id: string, headers: Readonly<Record<string, string>>, input: Buffer): Promise<void> {
    openFolder(callFolder(this.#config, id));
    await this.calls.call({ id, headers, input }, this.#send);
  }
}

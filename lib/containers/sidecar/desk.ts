import { Calls, type Send } from './calls.ts';
import { openFolder, placeEntry, removeFolder } from './files.ts';
import { CANCELLED, type ToBeside, unanswered } from './messages.ts';
import { folderOf, type Place } from './place.ts';
import type { Ask, Told } from './requests.ts';

type Handlers = {
  readonly [Name in ToBeside['do']]: (message: Extract<ToBeside, { do: Name }>, body: Buffer) => void;
};

/** Does what the service says, and hands on what the function asks. */
export class Desk {
  readonly calls: Calls;
  readonly #place: Place;
  readonly #send: Send;
  readonly #asking = new Map<number, (told: Told) => void>();
  /** Calls whose files could not be placed. */
  readonly #broken = new Map<string, string>();
  #asked = 0;

  constructor(place: Place, send: Send) {
    this.#place = place;
    this.#send = send;
    this.calls = new Calls(place);
  }

  /** How many wait for an answer of the service. */
  get waiting(): number {
    return this.#asking.size;
  }

  readonly ask: Ask = (actionId, question, body) => {
    const refused = this.refusalFor(actionId);
    if (refused !== undefined) return Promise.resolve(refused);
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve) => {
      this.#asking.set(id, resolve);
      this.#send({ say: 'ask', id, actionId, asked: question }, body);
    });
  };

  /** What is told to who asks for a call that is not running (workflow-language reference, 11.5). */
  refusalFor(actionId: string): Told | undefined {
    if (this.calls.isRunning(actionId)) return undefined;
    return { status: 500, body: `no call with the id '${actionId}' is running` };
  }

  /** Answers all who wait. */
  answerAll(told: Told): void {
    for (const answer of this.#asking.values()) answer(told);
    this.#asking.clear();
  }

  /** Makes room for a call: what an attempt at it that broke off has left is none of its outputs. */
  clear(id: string): void {
    removeFolder(folderOf(this.#place, id));
  }

  /** Ends a call that did not come to the function. */
  fail(id: string, problem: string): void {
    this.#broken.delete(id);
    removeFolder(folderOf(this.#place, id));
    this.#send({ say: 'done', id, answered: unanswered(problem) });
  }

  handle<Name extends ToBeside['do']>(message: Extract<ToBeside, { do: Name }>, body: Buffer): void {
    this.#handlers[message.do as Name](message, body);
  }

  async #call(id: string, headers: Readonly<Record<string, string>>, input: Buffer): Promise<void> {
    openFolder(folderOf(this.#place, id));
    await this.calls.call(id, headers, input, this.#send);
  }

  readonly #handlers: Handlers = {
    probe: ({ id, ms }) => void this.calls.probe(ms).then((isUp) => this.#send({ say: 'probed', id, isUp })),
    file: ({ id, path, kind, isExecutable }, bytes) => {
      const folder = folderOf(this.#place, id);
      try {
        openFolder(folder);
        placeEntry(folder, path, kind, isExecutable, bytes);
      } catch (error) {
        this.#broken.set(id, `the file '${path}' cannot be placed: ${error instanceof Error ? error.message : error}`);
      }
    },
    call: ({ id, headers }, input) => {
      const problem = this.#broken.get(id);
      if (problem !== undefined) return this.fail(id, problem);
      this.#call(id, headers, input).catch((error: unknown) => {
        this.#send({ say: 'done', id, answered: unanswered(String(error)) });
      });
    },
    cancel: ({ id, ms }) => this.calls.cancel(id, ms, CANCELLED),
    answer: ({ id, status }, body) => {
      this.#asking.get(id)?.({ status, body });
      this.#asking.delete(id);
    },
  };
}

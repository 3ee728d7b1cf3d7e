import { once } from 'node:events';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Send } from './calls.ts';
import type { Desk } from './desk.ts';
import type { CallEvent } from './event.ts';
import { writeFrame } from './frames.ts';
import { appears, fetchLetter, framesIn, Letters } from './letters.ts';
import { type Answered, CANCELLED, type FromBeside, TOO_LONG } from './messages.ts';
import { type Ending, type Program, told } from './program.ts';
import type { Told } from './requests.ts';
import type { Answer } from './runtime-api.ts';
import { lookUntil } from './storage.ts';

/** How long things may take, milliseconds. */
export interface Patience {
  /** From the beginning of the call until the function accepts connections. */
  readonly listenMs: number;
  /** From the word to the function that nobody waits until the call is broken off. */
  readonly cancelMs: number;
  /** Between two looks whether the call was cancelled. */
  readonly lookMs: number;
}

/** Who starts the function's program. */
export interface Keeper {
  readonly program: Program;
  /** Starts it anew. */
  renew(): Program;
}

/** What is left of Lambda's time when a call that it would end has been broken off. */
const RESERVE_MS = 3_000;
const BEAT_MS = 1_000;
/** A connection that breaks is mostly the end of its function, of which we hear a moment later. */
const LAST_NEWS_MS = 1_000;
const UNHEARD = 'the connection to the service ended';
const OVER: Told = { status: 500, body: 'the call has ended' };

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One call in a copy of a function on Lambda (docs/decisions/029). */
export class LambdaCall {
  readonly #event: CallEvent;
  readonly #answer: Answer;
  readonly #desk: Desk;
  readonly #keeper: Keeper;
  readonly #patience: Patience;
  readonly #letters: Letters;
  /** Its reason is in words for the user. */
  readonly #givenUp = new AbortController();
  readonly #over = new AbortController();
  readonly #look = lookUntil(this.#over.signal);
  readonly #finished: Promise<void>;
  #finish: () => void = () => undefined;

  constructor(event: CallEvent, answer: Answer, desk: Desk, keeper: Keeper, patience: Patience) {
    this.#event = event;
    this.#answer = answer;
    this.#desk = desk;
    this.#keeper = keeper;
    this.#patience = patience;
    this.#letters = new Letters(this.#look, event.next, this.#over.signal, {
      isAwaited: () => desk.waiting > 0,
      take: (message, body) => desk.handle(message, body),
      miss: () => this.#push(),
    });
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // Each log entry that waits listens.
    answer.stream.setMaxListeners(0);
  }

  /** Calls the function. Resolves when all that came of it is on its way. */
  async run(lambdaDeadline: number): Promise<void> {
    const timers = this.#watch(lambdaDeadline);
    try {
      this.#write({ say: 'ready' });
      await this.#begin();
      await this.#finished;
      // What the program wrote before it answered is passed on before Lambda lets everything stand still.
      await turn();
    } finally {
      timers.forEach(clearTimeout);
      this.#over.abort();
      this.#desk.answerAll(OVER);
      this.#answer.stream.end();
    }
  }

  /** What goes back to the service. */
  readonly send: Send = (message, body) => {
    if (message.say === 'done') void this.#end(message.id, message.answered, body);
    else this.#write(message, body);
    if (message.say !== 'ask') return;
    setImmediate(() => this.#push());
    this.#letters.read().catch((error: unknown) => {
      this.#desk.answerAll({ status: 500, body: `the answer cannot be fetched: ${wordsOf(error)}` });
    });
  };

  /** Resolves when there is room for more: a log entry needs no answer of the service. */
  async log(text: Uint8Array): Promise<Told> {
    const { stream } = this.#answer;
    if (!stream.writable) return { status: 500, body: UNHEARD };
    this.#write({ say: 'log', id: this.#event.actionId }, text);
    if (stream.writableNeedDrain) await once(stream, 'drain', { signal: this.#over.signal }).catch(() => undefined);
    return { status: 200 };
  }

  #write(message: FromBeside, body?: Uint8Array): void {
    // Of a connection that broke we hear elsewhere.
    if (this.#answer.stream.writable) writeFrame(this.#answer.stream, message, body);
  }

  /** What was written last may wait on its way until there is more. */
  #push(): void {
    this.#write({ say: 'alive' });
  }

  async #begin(): Promise<void> {
    const { signal } = this.#givenUp;
    try {
      const { frames } = this.#event;
      const bytes =
        'url' in frames ? await fetchLetter(this.#look, frames.url, signal) : Buffer.from(frames.base64, 'base64');
      await this.#reach();
      signal.throwIfAborted();
      this.#desk.clear(this.#event.actionId);
      for (const { head, body } of framesIn(bytes)) if (head.do !== 'next') this.#desk.handle(head, body);
    } catch (error) {
      this.#desk.fail(this.#event.actionId, wordsOf(signal.aborted ? signal.reason : error));
    }
  }

  /** Resolves when the function accepts connections. Throws in words for the user. */
  async #reach(): Promise<void> {
    const { listenMs } = this.#patience;
    const found = await this.#firstOf(this.#keeper.program, listenMs);
    // What ended between two calls, of which we may hear only now, is there again for the next.
    const first = typeof found === 'object' ? await this.#firstOf(this.#keeper.renew(), listenMs) : found;
    if (typeof first === 'object') throw new Error(told(first, 'before it listened on port 8080'));
    if (first) return;
    const seconds = Math.round(listenMs / 1000);
    throw new Error(`the container did not listen on port 8080 within ${seconds} seconds`);
  }

  /** Whether the function accepts connections in time, or how its program ended before that. */
  async #firstOf(program: Program, milliseconds: number): Promise<boolean | Ending> {
    const over = new AbortController();
    const probing = AbortSignal.any([this.#givenUp.signal, over.signal]);
    try {
      return await Promise.race([program.ended, this.#desk.calls.probe(milliseconds, probing)]);
    } finally {
      over.abort();
    }
  }

  async #end(id: string, answered: Answered, body?: Uint8Array): Promise<void> {
    const isLost = answered.isLost === true;
    const ending = isLost ? await Promise.race([this.#keeper.program.ended, sleep(LAST_NEWS_MS)]) : undefined;
    const problem = ending === undefined ? answered.problem : told(ending, 'before it answered');
    this.#write({ say: 'done', id, answered: { ...answered, problem } }, body);
    this.#finish();
  }

  #watch(lambdaDeadline: number): readonly NodeJS.Timeout[] {
    const { deadline, late, cancel } = this.#event;
    const { cancelMs, lookMs } = this.#patience;
    const latest = lambdaDeadline - cancelMs - RESERVE_MS;
    const [at, why] = deadline <= latest ? [deadline, late] : [latest, TOO_LONG];
    const { signal } = this.#over;
    appears(this.#look, cancel, lookMs, signal).then(
      () => this.#giveUp(CANCELLED),
      (error: unknown) => {
        if (!signal.aborted) console.error(`a cancellation would not be seen: ${wordsOf(error)}`);
      },
    );
    void this.#answer.taken.then(() => this.#giveUp(UNHEARD));
    const timer = setTimeout(() => this.#giveUp(why), Math.max(0, at - Date.now()));
    return [timer, setInterval(() => this.#push(), BEAT_MS)];
  }

  #giveUp(why: string): void {
    this.#givenUp.abort(why);
    this.#desk.calls.cancel(this.#event.actionId, this.#patience.cancelMs, why);
  }
}

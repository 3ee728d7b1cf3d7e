import { setTimeout as sleep } from 'node:timers/promises';
import { Desk } from './desk.ts';
import type { CallEvent } from './event.ts';
import { ownOf } from './image-environment.ts';
import { type Keeper, LambdaCall, type Patience } from './lambda-call.ts';
import type { Place } from './place.ts';
import { Program } from './program.ts';
import { type Ask, serveRequests } from './requests.ts';
import { type Invocation, RuntimeApi } from './runtime-api.ts';

export interface CopyOptions {
  /** The function's program and its arguments. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly place: Place;
  readonly patience: Patience;
}

/** Lambda itself waits no longer. */
const GRACE_MS = 2_000;
/** What Lambda calls copies that it keeps running, and lets take minutes to begin. */
const KEPT = 'provisioned-concurrency';

/** One copy of a function: it takes one call after the other, for as long as Lambda keeps it. */
class Copy implements Keeper {
  readonly #options: CopyOptions;
  readonly #api: RuntimeApi;
  readonly #desk: Desk;
  #program: Program;
  #call: LambdaCall | undefined;

  constructor(options: CopyOptions, api: RuntimeApi) {
    this.#options = options;
    this.#api = api;
    this.#desk = new Desk(options.place, (message, body) => this.#call?.send(message, body));
    this.#program = this.#start();
  }

  readonly ask: Ask = (actionId, asked, body) => {
    const { what } = asked;
    if (what !== 'log' || this.#call === undefined) return this.#desk.ask(actionId, asked, body);
    return Promise.resolve(this.#desk.refusalFor(actionId) ?? this.#call.log(body));
  };

  get program(): Program {
    return this.#program;
  }

  async take({ id, deadline, event }: Invocation): Promise<void> {
    const call = callIn(event);
    if (call === undefined) return this.#api.refuse(id, 'a container is called by the service, and by nobody else');
    const answer = this.#api.answer(id);
    this.#call = new LambdaCall(call, answer, this.#desk, this, this.#options.patience);
    await this.#call.run(deadline);
    this.#call = undefined;
    const problem = await answer.taken;
    if (problem !== undefined) console.error(`Lambda did not take the answer: ${problem.message}`);
  }

  /** Resolves when the program listens, or will not: asked for an event, Lambda lets everything stand still. */
  async warm(): Promise<void> {
    const over = new AbortController();
    const listens = this.#desk.calls.probe(this.#options.patience.listenMs, over.signal);
    await Promise.race([this.#program.ended, listens]);
    over.abort();
  }

  /** The program may end by itself; there is not much time. */
  async close(): Promise<void> {
    this.#program.kill('SIGTERM');
    await Promise.race([this.#program.ended, sleep(GRACE_MS)]);
  }

  /** Nothing of the program is left. */
  kill(): void {
    this.#program.kill('SIGKILL');
  }

  renew(): Program {
    this.#program.kill('SIGKILL');
    this.#program = this.#start();
    return this.#program;
  }

  #start(): Program {
    return new Program(this.#options.command, ownOf(this.#options.environment));
  }
}

/** Undefined: it is none of ours. */
function callIn(event: Buffer): CallEvent | undefined {
  try {
    const found: unknown = JSON.parse(event.toString('utf8'));
    const isCall = typeof found === 'object' && found !== null && 'weft' in found && found.weft === 'call';
    return isCall ? (found as CallEvent) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Serves a function inside an execution environment of Lambda: starts its program, serves localhost:8889 and takes
 * calls, until Lambda ends the environment. Throws when it cannot begin, which Lambda has been told.
 */
export async function serveCopy(options: CopyOptions): Promise<never> {
  const address = options.environment['AWS_LAMBDA_RUNTIME_API'];
  if (address === undefined) throw new Error('this program is started by AWS Lambda, beside a function');
  const api = new RuntimeApi(address);
  const copy = await open(options, api).catch(async (error: Error) => {
    await api.failInit(error.message);
    throw error;
  });
  for (;;) await copy.take(await api.next());
}

async function open(options: CopyOptions, api: RuntimeApi): Promise<Copy> {
  if (options.command.length === 0) throw new Error('there is no program of the container to start');
  const copy = new Copy(options, api);
  await serveRequests(options.place.servicePort, copy.ask);
  process.once('exit', () => copy.kill());
  process.once('SIGTERM', () => void copy.close().then(() => process.exit(0)));
  if (options.environment['AWS_LAMBDA_INITIALIZATION_TYPE'] === KEPT) await copy.warm();
  return copy;
}

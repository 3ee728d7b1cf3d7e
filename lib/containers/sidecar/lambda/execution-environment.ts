import { setTimeout as sleep } from 'node:timers/promises';
import type { SidecarConfig } from '../config.ts';
import { HostSession } from '../host-session.ts';
import { type HandleRequest, serveRequests } from '../requests.ts';
import { type CallTimeouts, LambdaCall, type ProgramOwner } from './call.ts';
import type { CallEvent } from './event.ts';
import { imageEnvironmentOf } from './image-environment.ts';
import { Program } from './program.ts';
import { type Invocation, RuntimeApi } from './runtime-api.ts';

/** The container's program, and how the sidecar serves it. */
export interface EnvironmentOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly config: SidecarConfig;
  readonly timeouts: CallTimeouts;
}

/** Lambda kills the environment a moment later. */
const SHUTDOWN_MS = 2_000;
/** The initialization type of provisioned concurrency, for which Lambda allows an initialization of minutes. */
const PROVISIONED = 'provisioned-concurrency';

/**
 * Serves a container inside an execution environment of Lambda: starts its program, serves localhost:8889 and takes one
 * call after the other, until Lambda ends the environment.
 * @throws Error when it cannot start; the error was reported to Lambda.
 */
export async function serveEnvironment(options: EnvironmentOptions): Promise<never> {
  const address = options.environment['AWS_LAMBDA_RUNTIME_API'];
  if (address === undefined) throw new Error('this program is started by AWS Lambda, beside a function');
  const api = new RuntimeApi(address);
  const environment = await open(options, api).catch(async (error: Error) => {
    await api.reportInitError(error.message);
    throw error;
  });
  for (;;) await environment.handle(await api.next());
}

async function open(options: EnvironmentOptions, api: RuntimeApi): Promise<ExecutionEnvironment> {
  if (options.command.length === 0) throw new Error('there is no program of the container to start');
  const environment = new ExecutionEnvironment(options, api);
  await serveRequests(options.config.servicePort, environment.handleRequest);
  process.once('exit', () => environment.kill());
  process.once('SIGTERM', () => void environment.shutDown().then(() => process.exit(0)));
  if (options.environment['AWS_LAMBDA_INITIALIZATION_TYPE'] === PROVISIONED) await environment.warmUp();
  return environment;
}

/** One execution environment: it serves one call at a time, for as long as Lambda keeps it. */
class ExecutionEnvironment implements ProgramOwner {
  readonly #options: EnvironmentOptions;
  readonly #api: RuntimeApi;
  readonly #session: HostSession;
  #program: Program;
  #call: LambdaCall | undefined;

  constructor(options: EnvironmentOptions, api: RuntimeApi) {
    this.#options = options;
    this.#api = api;
    this.#session = new HostSession(options.config, (message, body) => this.#call?.send(message, body));
    this.#program = this.#start();
  }

  readonly handleRequest: HandleRequest = (actionId, request, body) => {
    if (request.what !== 'log' || this.#call === undefined) return this.#session.request(actionId, request, body);
    return Promise.resolve(this.#session.rejectionFor(actionId) ?? this.#call.log(body));
  };

  get program(): Program {
    return this.#program;
  }

  async handle({ id, deadline, event: bytes }: Invocation): Promise<void> {
    const event = parseEvent(bytes);
    if (event === undefined) return this.#api.reportError(id, 'a container is called only by the service');
    const response = this.#api.respond(id);
    const { timeouts } = this.#options;
    this.#call = new LambdaCall({ event, response, session: this.#session, owner: this, timeouts });
    await this.#call.run(deadline);
    this.#call = undefined;
    const problem = await response.received;
    if (problem !== undefined) console.error(`Lambda did not receive the response: ${problem.message}`);
  }

  /** Resolves when the program listens, or has ended: Lambda freezes the environment when it waits for a call. */
  async warmUp(): Promise<void> {
    const over = new AbortController();
    const listens = this.#session.calls.probe(this.#options.timeouts.listenMs, over.signal);
    await Promise.race([this.#program.ended, listens]);
    over.abort();
  }

  /** Lets the program end by itself, for a short time. */
  async shutDown(): Promise<void> {
    this.#program.kill('SIGTERM');
    await Promise.race([this.#program.ended, sleep(SHUTDOWN_MS)]);
  }

  /** Kills the program and its children. */
  kill(): void {
    this.#program.kill('SIGKILL');
  }

  restart(): Program {
    this.kill();
    this.#program = this.#start();
    return this.#program;
  }

  #start(): Program {
    return new Program(this.#options.command, imageEnvironmentOf(this.#options.environment));
  }
}

/** Undefined for an event that is no call of the service. */
function parseEvent(bytes: Buffer): CallEvent | undefined {
  try {
    const event: unknown = JSON.parse(bytes.toString('utf8'));
    const isCall = typeof event === 'object' && event !== null && 'weft' in event && event.weft === 'call';
    return isCall ? (event as CallEvent) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A worker: fetches tasks of a queue over HTTP, calls a function for each, and reports the result (docs/workers.md). It
 * has no dependency and needs Node 22.13 or later, or another runtime with `fetch`.
 */
import { parseJson, printJson } from './api/numbers.ts';

/** A task as the service gives it to a worker. Times are RFC 3339 texts. */
export interface Task<Input = unknown> {
  readonly task: string;
  /** The id of the lease, which each report about the task sends. */
  readonly lease: string;
  readonly leaseUntil: string;
  /** When the workflow stops waiting. */
  readonly until: string;
  /** The idempotency key: the same for all attempts and repetitions of the call. */
  readonly key: string;
  /** The number of retries by the workflow before this call, from 0. */
  readonly attempt: number;
  /** How often the task was fetched, from 1: more than 1 after an expired lease. */
  readonly taken: number;
  readonly priority: number;
  readonly createdAt: string;
  readonly instance: string;
  readonly workflow: string;
  readonly state: string;
  /** The trace of the run and the span of the call (W3C Trace Context). */
  readonly traceparent: string;
  /** A number in it that a double would change is a `Number` object, which keeps its digits. */
  readonly input: Input;
}

/** Fails a task with a code that the workflow can catch; with `retry`, it is offered again after that time. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly code: string;
  /** An ISO 8601 duration. */
  readonly retry: string | undefined;

  constructor(code: string, message: string, retry?: string) {
    super(message);
    this.code = code;
    this.retry = retry;
  }
}

/** The settings of a worker. */
export interface WorkerOptions {
  /** The URL of the service. */
  readonly url: string;
  readonly namespace: string;
  readonly queue: string;
  /** A key with the permission `worker`, or one that includes it. */
  readonly key: string;
  /** The name of the worker in the console and the command line. */
  readonly name?: string;
  /** The maximum number of tasks at the same time; 1 by default. */
  readonly concurrency?: number;
  /** The duration of a lease, ISO 8601; by default that of the function. The worker renews leases. */
  readonly lease?: string;
  /** How long a request waits for a task, ISO 8601; PT20S by default. */
  readonly wait?: string;
  /** Called for each error of the network or the service; by default it is one line on stderr. The worker retries. */
  readonly onError?: (error: unknown) => void;
}

/** Performs a task and returns its result. `signal` is aborted when the worker has lost the lease. */
export type Handler<Input> = (task: Task<Input>, signal: AbortSignal) => unknown;

/** A running worker. */
export interface RunningWorker {
  /** Fetches no more tasks. Resolves when the tasks in progress have ended. */
  stop(): Promise<void>;
}

/** The service replied with an error. */
export class ServiceReplyError extends Error {
  override readonly name = 'ServiceReplyError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(`${status}: ${message}`);
    this.status = status;
  }
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
const MAX_REPORTS = 8;
/** More than the longest request of the service, one minute. */
const REQUEST_MS = 90_000;

const CONFLICT = 409;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** Whether the same request may succeed later. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof ServiceReplyError) || error.status >= SERVER_ERROR || error.status === TOO_MANY;

/** The delay before attempt `n`: exponential, with full jitter. */
const delayOf = (n: number): number => Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** n);

class QueueWorker<Input> implements RunningWorker {
  private readonly options: WorkerOptions;
  private readonly handle: Handler<Input>;
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly done: Promise<void>;

  constructor(options: WorkerOptions, handle: Handler<Input>) {
    this.options = options;
    this.handle = handle;
    this.done = this.loop();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async loop(): Promise<void> {
    const { concurrency = 1 } = this.options;
    for (let failures = 0; !this.isStopping; ) {
      if (this.running.size >= concurrency) {
        await Promise.race(this.running);
        continue;
      }
      try {
        await this.takeSome(concurrency - this.running.size);
        failures = 0;
      } catch (error) {
        this.report(error);
        await this.pause(delayOf(failures));
        failures += 1;
      }
    }
    await Promise.all(this.running);
  }

  private async takeSome(max: number): Promise<void> {
    const { name = '', lease, wait = 'PT20S' } = this.options;
    const { tasks } = (await this.post('poll', { worker: name, max, lease, wait })) as { tasks: Task<Input>[] };
    for (const task of tasks) {
      const work = this.isStopping ? this.giveBack(task) : this.work(task);
      const running = work.catch((error: unknown) => this.report(error)).finally(() => this.running.delete(running));
      this.running.add(running);
    }
  }

  private async giveBack({ task, lease }: Task<Input>): Promise<void> {
    await this.send('fail', { task, lease, retry: 'PT0S' });
  }

  private async work(task: Task<Input>): Promise<void> {
    const lost = new AbortController();
    const renewal = this.renew(task, lost);
    try {
      const output = (await this.handle(task, lost.signal)) ?? null;
      if (!lost.signal.aborted) await this.send('complete', { task: task.task, lease: task.lease, output });
    } catch (error) {
      if (!lost.signal.aborted) await this.fail(task, error);
    } finally {
      clearInterval(renewal);
    }
  }

  private async fail({ task, lease }: Task<Input>, error: unknown): Promise<void> {
    if (error instanceof ServiceReplyError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const { code = '', retry = undefined } = error instanceof TaskError ? error : {};
    await this.send('fail', { task, lease, code, message, retry });
  }

  /** Renews the lease at each third of its duration. */
  private renew({ task, lease, leaseUntil }: Task<Input>, lost: AbortController): NodeJS.Timeout {
    const length = Math.max(Date.parse(leaseUntil) - Date.now(), 1000);
    const renewOnce = () =>
      this.post('heartbeat', { task, lease, duration: this.options.lease }).catch((error: unknown) => {
        if (error instanceof ServiceReplyError && error.status === CONFLICT) lost.abort(error);
        else this.report(error);
      });
    return setInterval(renewOnce, length / 3);
  }

  /** Sends a report until the service has accepted it; the service ignores repetitions. */
  private async send(op: string, body: object): Promise<void> {
    for (let n = 0; ; n += 1) {
      try {
        await this.post(op, body);
        return;
      } catch (error) {
        if (!mayPass(error) || n >= MAX_REPORTS) throw error;
        this.report(error);
        await new Promise((resolve) => setTimeout(resolve, delayOf(n)));
      }
    }
  }

  private async post(op: string, body: object): Promise<unknown> {
    const { url, namespace, queue, key } = this.options;
    const path = `/api/namespaces/${encodeURIComponent(namespace)}/workers/${encodeURIComponent(queue)}?op=${op}`;
    const response = await fetch(url.replace(/\/$/, '') + path, {
      method: 'POST',
      headers: { 'Service-Api-Key': key, 'Content-Type': 'application/json' },
      body: printJson(body),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new ServiceReplyError(response.status, messageOf(text));
    return parseJson(text);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.stopping.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private report(error: unknown): void {
    const { onError = (one: unknown) => console.error(lineOf(one, this.options)) } = this.options;
    onError(error);
  }
}

/** The messages of an error and of its causes: a failed `fetch` has the reason in its cause. */
function reasonsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return error === undefined ? [] : [String(error)];
  const { code } = error as { readonly code?: unknown };
  return [error.message || (typeof code === 'string' ? code : error.name), ...reasonsOf(error.cause)];
}

/** An error in one line, with the time, the queue and the URL. */
function lineOf(error: unknown, { url, namespace, queue }: WorkerOptions): string {
  const text = reasonsOf(error).join(': ').replace(/\s+/g, ' ');
  return `${new Date().toISOString()} worker of '${namespace}/${queue}' at ${url}: ${text}`;
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly message?: unknown }).message);
  } catch {
    return text.slice(0, 200);
  }
}

/**
 * Starts a worker: it takes tasks of the queue and calls `handle` for each, until `stop` is called. It renews the lease of
 * a task while it works, and repeats reports that fail.
 */
export function startWorker<Input = unknown>(options: WorkerOptions, handle: Handler<Input>): RunningWorker {
  return new QueueWorker(options, handle);
}

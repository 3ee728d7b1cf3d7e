import { setTimeout } from 'node:timers/promises';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { CommandFailedError, ServiceUnreachableError } from '../shell/command.ts';
import { type Frame, toFrames } from './event-stream.ts';
import { plainRefusal } from './refusals.ts';
import { at, rowsAt, textAt } from './replies.ts';
import { bodyOf, type Service, toFailure } from './service.ts';

/** The server has no event stream for the path, or does not keep one open: the path must be polled. */
class NoStreamError extends Error {
  override readonly name = 'NoStreamError';
}

/** Statuses of servers that know the path, but not as a stream. */
const WITHOUT_STREAMS: readonly number[] = [400, 405, 406, 415, 500, 501];
/** The number of consecutive connections without an event, before polling begins. */
const MAX_EMPTY_CONNECTIONS = 3;
/** A heartbeat comes every 5 s (rest-api reference, 3.1); a stream without one for this time is dead. */
const SILENCE_MS = 30_000;
const RECONNECT_MS = 500;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 2_000;
const POLL_BACKOFF = 1.5;

/** The chunks of a reply. Throws if none arrives for too long. */
async function* chunksOf(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const dead = new AbortController();
  const abort = () => dead.abort(new Error('the stream is silent'));
  let timer = globalThis.setTimeout(abort, SILENCE_MS);
  try {
    for await (const chunk of bodyOf(response, AbortSignal.any([signal, dead.signal]))) {
      clearTimeout(timer);
      timer = globalThis.setTimeout(abort, SILENCE_MS);
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The events of one connection, until the server ends it. Throws NoStreamError, CommandFailedError,
 * ServiceUnreachableError.
 */
async function* connect(service: Service, path: string, id: string, signal: AbortSignal): AsyncGenerator<Frame> {
  const resume: Record<string, string> = id === '' ? {} : { 'Last-Event-ID': id };
  const headers = { Accept: 'text/event-stream', 'Cache-Control': 'no-cache', ...resume };
  const response = await service.send('GET', path, { headers, signal });
  const hasNoStream = WITHOUT_STREAMS.includes(response.status);
  if (response.status >= 400 && !hasNoStream) throw await toFailure(response, signal);
  if (hasNoStream || !(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    await response.body?.cancel();
    throw new NoStreamError();
  }
  yield* toFrames(chunksOf(response, signal));
}

/** The error of an error event; 5 is the gRPC status of "not found" (rest-api reference, 3.1). */
function errorOf({ data }: Frame, path: string): Error {
  const value = toValue(data);
  if (textAt(value, 'Code') !== '5') return new NoStreamError();
  const message = textAt(value, 'Message');
  return new CommandFailedError(plainRefusal(path, message) ?? `404: ${message}`, 404);
}

function toValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** An event of a stream. */
export interface Update {
  readonly value: unknown;
  /** The first event of a connection. Servers without event ids repeat earlier values in it. */
  readonly isFirst: boolean;
  /** The server continues after the last event: it repeats none. */
  readonly isResumed: boolean;
}

/**
 * The events of a path, over as many connections as necessary, until the signal is aborted. Throws NoStreamError if there
 * is no stream or none that lasts, and CommandFailedError.
 */
export async function* updates(service: Service, path: string, signal: AbortSignal): AsyncGenerator<Update> {
  let id = '';
  for (let failures = 0; failures < MAX_EMPTY_CONNECTIONS; failures += 1) {
    const isResumed = id !== '';
    let isFirst = true;
    try {
      for await (const frame of connect(service, path, id, signal)) {
        // It may have been aborted while the previous event was handled.
        signal.throwIfAborted();
        failures = 0;
        id = frame.id || id;
        if (frame.event === 'error') throw errorOf(frame, path);
        const value = toValue(frame.data);
        if (value === undefined) continue;
        yield { value, isFirst, isResumed };
        isFirst = false;
      }
    } catch (error) {
      if (signal.aborted || error instanceof NoStreamError || error instanceof CommandFailedError) throw error;
    }
    await setTimeout(RECONNECT_MS, undefined, { signal });
  }
  throw new NoStreamError();
}

/** The results of a repeated read; the interval grows while nothing changes. */
async function* poll<T>(read: () => Promise<T>, hasChanged: (value: T) => boolean, signal: AbortSignal) {
  let interval = MIN_POLL_MS;
  for (;;) {
    const value = await read();
    yield value;
    interval = hasChanged(value) ? MIN_POLL_MS : Math.min(interval * POLL_BACKOFF, MAX_POLL_MS);
    await setTimeout(interval, undefined, { signal });
  }
}

/** The status of a run, and the error of one that failed. */
export interface RunResult {
  readonly status: string;
  readonly errorCode: string;
  readonly errorMessage: string;
  /** The explanation of the failure, as the service returns it; undefined where it does not. */
  readonly error?: unknown;
}

const toRunResult = (value: unknown): RunResult => ({
  status: textAt(value, 'instance', 'status'),
  errorCode: textAt(value, 'instance', 'errorCode'),
  errorMessage: textAt(value, 'instance', 'errorMessage'),
  ...(at(value, 'error') === undefined ? {} : { error: at(value, 'error') }),
});

const hasEnded = ({ status }: RunResult): boolean => status !== '' && status !== 'pending';

/** Waits for the end of the run at the path. Throws CommandFailedError, ServiceUnreachableError. */
export async function waitForEnd(service: Service, path: string, signal: AbortSignal): Promise<RunResult> {
  try {
    for await (const { value } of updates(service, path, signal)) {
      const result = toRunResult(value);
      if (hasEnded(result)) return result;
    }
  } catch (error) {
    if (!(error instanceof NoStreamError)) throw error;
  }
  for await (const result of poll(async () => toRunResult(await service.call('GET', path)), hasEnded, signal)) {
    if (hasEnded(result)) return result;
  }
  throw new ServiceUnreachableError('the end of the run is unknown');
}

/** A line of a log, as the REST API names its fields. */
export interface LogLine {
  readonly t: string;
  readonly level: string;
  readonly msg: string;
}

const toLine = (row: unknown): LogLine => ({
  t: textAt(row, 't'),
  level: textAt(row, 'level'),
  msg: textAt(row, 'msg'),
});

/** The lines of one reply from an offset on. Servers before v0.7 ignore the offset and return all lines. */
async function readFrom(service: Service, path: string, offset: number): Promise<LogLine[]> {
  const reply = await service.call('GET', `${path}${path.includes('?') ? '&' : '?'}offset=${offset}`);
  const rows = (rowsAt(reply) ?? []).map(toLine);
  return at(reply, 'pageInfo', 'offset') === offset ? rows : rows.slice(offset);
}

/** The present lines of a log from an offset on. Throws CommandFailedError, ServiceUnreachableError. */
export async function* readLog(service: Service, path: string, offset = 0): AsyncGenerator<LogLine> {
  for (let next = offset; ; ) {
    const lines = await readFrom(service, path, next);
    if (lines.length === 0) return;
    next += lines.length;
    yield* lines;
  }
}

/**
 * The present lines of a log and the future ones, each once. Throws CommandFailedError, ServiceUnreachableError, and the
 * reason of the signal when it is aborted.
 */
export async function* followLog(service: Service, path: string, signal: AbortSignal): AsyncGenerator<LogLine> {
  let count = 0;
  try {
    for await (const { value, isFirst, isResumed } of updates(service, path, signal)) {
      const rows = rowsAt(value) ?? [];
      const lines = (isFirst && !isResumed ? rows.slice(count) : rows).map(toLine);
      count += lines.length;
      yield* lines;
    }
  } catch (error) {
    if (!(error instanceof NoStreamError)) throw error;
  }
  const hasLines = (lines: readonly LogLine[]) => lines.length > 0;
  for await (const lines of poll(() => readFrom(service, path, count), hasLines, signal)) {
    count += lines.length;
    yield* lines;
  }
}

/**
 * Passes each line of a run's log to `onLine` until the run has ended, and returns its result. Throws CommandFailedError,
 * ServiceUnreachableError.
 */
export async function followRun(
  service: Service,
  path: string,
  onLine: (line: LogLine) => Promise<void>,
): Promise<RunResult> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, service.signal]);
  let count = 0;
  const next = async (line: LogLine) => {
    count += 1;
    await onLine(line);
  };
  const following = (async () => {
    for await (const line of followLog(service, `${path}/logs`, signal)) await next(line);
  })().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  const end = waitForEnd(service, path, signal);
  const result = await Promise.race([end, following.then(() => undefined)]).finally(() => over.abort());
  await following;
  if (result === undefined) throw new ServiceUnreachableError('the log of the run ended before the run');
  for await (const line of readLog(service, `${path}/logs`, count)) await next(line);
  return result;
}

import { setTimeout } from 'node:timers/promises';
import { Refusal, Unreachable } from '../shell/command.ts';
import { type Frame, toFrames } from './event-stream.ts';
import { at, rowsAt, textAt } from './replies.ts';
import { bodyOf, refusalOf, type Service } from './service.ts';

/** The server has no stream for this, or cannot keep one open: it must be asked again and again. */
class NoStream extends Error {
  override readonly name = 'NoStream';
}

/** Statuses of servers that know the address, but not as a stream. */
const WITHOUT_STREAMS: readonly number[] = [400, 405, 406, 415, 500, 501];
/** Connections without a frame, one after the other, before polling takes over. */
const MOST_FAILURES = 3;
/** A heartbeat comes every 5 s (rest-api reference, 3.1); after this long without one the stream is dead. */
const SILENCE_MS = 30_000;
const PAUSE_MS = 500;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 2_000;

/** The chunks of a reply; throws when none comes for too long. */
async function* alive(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const dead = new AbortController();
  const die = () => dead.abort(new Error('the stream is silent'));
  let timer = globalThis.setTimeout(die, SILENCE_MS);
  try {
    for await (const chunk of bodyOf(response, AbortSignal.any([signal, dead.signal]))) {
      clearTimeout(timer);
      timer = globalThis.setTimeout(die, SILENCE_MS);
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Opens the stream once. Throws NoStream, Refusal, Unreachable; ends where the server ends it. */
async function* connect(service: Service, path: string, id: string, signal: AbortSignal): AsyncGenerator<Frame> {
  const resume: Record<string, string> = id === '' ? {} : { 'Last-Event-ID': id };
  const headers = { Accept: 'text/event-stream', 'Cache-Control': 'no-cache', ...resume };
  const response = await service.send('GET', path, { headers, signal });
  if (WITHOUT_STREAMS.includes(response.status)) {
    await response.body?.cancel();
    throw new NoStream();
  }
  if (response.status >= 400) throw await refusalOf(response, signal);
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    await response.body?.cancel();
    throw new NoStream();
  }
  yield* toFrames(alive(response, signal));
}

/** An error frame's text; gRPC's number of "not found" is 5 (rest-api reference, 3.1). */
function errorOf({ data }: Frame): Error {
  const value = toValue(data);
  const isMissing = textAt(value, 'Code') === '5';
  return isMissing ? new Refusal(`404: ${textAt(value, 'Message')}`, 404) : new NoStream();
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Update {
  readonly value: unknown;
  /** The first after the stream was opened; on servers that give no ids it repeats what was told before. */
  readonly isFirst: boolean;
  /** The stream goes on where it was cut: nothing is repeated. */
  readonly isResumed: boolean;
}

/**
 * What a stream tells, over as many connections as it takes, until the signal. Throws NoStream where there is no
 * stream or none that lasts, and Refusal.
 */
async function* updates(service: Service, path: string, signal: AbortSignal): AsyncGenerator<Update> {
  let id = '';
  for (let failures = 0; failures < MOST_FAILURES; failures += 1) {
    const isResumed = id !== '';
    let isFirst = true;
    try {
      for await (const frame of connect(service, path, id, signal)) {
        signal.throwIfAborted();
        failures = 0;
        id = frame.id || id;
        if (frame.event === 'error') throw errorOf(frame);
        const value = toValue(frame.data);
        if (value === undefined) continue;
        yield { value, isFirst, isResumed };
        isFirst = false;
      }
    } catch (error) {
      if (signal.aborted || error instanceof NoStream || error instanceof Refusal) throw error;
    }
    await setTimeout(PAUSE_MS, undefined, { signal });
  }
  throw new NoStream();
}

/** What a plain GET answers, again and again, slower while nothing changes; `isNews` tells whether it did. */
async function* polled<T>(read: () => Promise<T>, isNews: (value: T) => boolean, signal: AbortSignal) {
  let pause = SHORTEST_POLL_MS;
  for (;;) {
    const value = await read();
    yield value;
    pause = isNews(value) ? SHORTEST_POLL_MS : Math.min(pause * 1.5, LONGEST_POLL_MS);
    await setTimeout(pause, undefined, { signal });
  }
}

export interface Ending {
  readonly status: string;
  readonly errorCode: string;
  readonly errorMessage: string;
}

const endingOf = (value: unknown): Ending => ({
  status: textAt(value, 'instance', 'status'),
  errorCode: textAt(value, 'instance', 'errorCode'),
  errorMessage: textAt(value, 'instance', 'errorMessage'),
});

const isOver = ({ status }: Ending): boolean => status !== '' && status !== 'pending';

/** How the run at the path ended; waits for it. Throws Refusal, Unreachable. */
export async function waitForEnd(service: Service, path: string, signal: AbortSignal): Promise<Ending> {
  try {
    for await (const { value } of updates(service, path, signal)) {
      const ending = endingOf(value);
      if (isOver(ending)) return ending;
    }
  } catch (error) {
    if (!(error instanceof NoStream)) throw error;
  }
  for await (const ending of polled(async () => endingOf(await service.call('GET', path)), isOver, signal)) {
    if (isOver(ending)) return ending;
  }
  throw new Unreachable('nothing tells how the run ended');
}

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

/** The lines from the n-th on that one reply holds; servers before v0.7 always answer all of them. */
async function readFrom(service: Service, path: string, from: number): Promise<LogLine[]> {
  const reply = await service.call('GET', `${path}${path.includes('?') ? '&' : '?'}offset=${from}`);
  const rows = (rowsAt(reply) ?? []).map(toLine);
  return at(reply, 'pageInfo', 'offset') === from ? rows : rows.slice(from);
}

/** The lines of a log that are there, from the n-th on. Throws Refusal, Unreachable. */
export async function* readLog(service: Service, path: string, from = 0): AsyncGenerator<LogLine> {
  for (let next = from; ; ) {
    const lines = await readFrom(service, path, next);
    if (lines.length === 0) return;
    next += lines.length;
    yield* lines;
  }
}

/** The lines of a log, and those that come, until the signal. Throws Refusal, Unreachable, and on the signal. */
export async function* followLog(service: Service, path: string, signal: AbortSignal): AsyncGenerator<LogLine> {
  let told = 0;
  try {
    for await (const { value, isFirst, isResumed } of updates(service, path, signal)) {
      const rows = rowsAt(value) ?? [];
      const lines = (isFirst && !isResumed ? rows.slice(told) : rows).map(toLine);
      told += lines.length;
      yield* lines;
    }
  } catch (error) {
    if (!(error instanceof NoStream)) throw error;
  }
  const isNews = (lines: readonly LogLine[]) => lines.length > 0;
  for await (const lines of polled(() => readFrom(service, path, told), isNews, signal)) {
    told += lines.length;
    yield* lines;
  }
}

/** Tells the log of a run until it has ended, every line once, and answers how it ended. Throws Refusal, Unreachable. */
export async function followRun(
  service: Service,
  path: string,
  tell: (line: LogLine) => Promise<void>,
): Promise<Ending> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, service.signal]);
  let told = 0;
  const one = async (line: LogLine) => {
    told += 1;
    await tell(line);
  };
  const following = (async () => {
    for await (const line of followLog(service, `${path}/logs`, signal)) await one(line);
  })().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  const watching = waitForEnd(service, path, signal);
  const ending = await Promise.race([watching, following.then(() => undefined)]).finally(() => over.abort());
  await following;
  if (ending === undefined) throw new Unreachable('the log of the run ended before the run');
  for await (const line of readLog(service, `${path}/logs`, told)) await one(line);
  return ending;
}

import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { every } from './asking.ts';
import { call, type FrameOf, type OperationName, type Options, type PathOf, type ReplyOf } from './client.ts';
import { type ApiError, isAbort, toApiError } from './errors.ts';
import { isPassing, onceBack } from './reach.ts';
import { onceSignedIn, session } from './session.ts';
import { follow, type StreamState } from './streams.ts';

/** A value of the service as a page shows it. */
export interface Live<T> {
  /** Undefined until the first reply; the last value stays while a lost connection is opened again. */
  readonly value: ReadonlySignal<T | undefined>;
  readonly error: ReadonlySignal<ApiError | undefined>;
  readonly state: ReadonlySignal<StreamState>;
}

/** A value that is read once, and again on demand. */
export interface Loaded<T> extends Live<T> {
  reload(): void;
}

/** The last shown value of each request, so that going back shows it at once. */
const cache = new Map<string, unknown>();
const MOST_CACHED = 40;

// Values that one key may read are not shown to the next.
session.subscribe(() => cache.clear());

function remember(name: string, value: unknown): void {
  cache.delete(name);
  cache.set(name, value);
  if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value ?? '');
}

class Shown<T> implements Live<T> {
  readonly name: string;
  readonly value: Signal<T | undefined>;
  readonly error = signal<ApiError | undefined>(undefined);
  readonly state = signal<StreamState>('connecting');

  constructor(name: string) {
    this.name = name;
    this.value = signal(cache.get(name) as T | undefined);
  }

  show(value: T): void {
    remember(this.name, value);
    this.error.value = undefined;
    this.value.value = value;
  }

  fail(error: unknown): void {
    if (isAbort(error)) return;
    const failure = toApiError(error);
    // The shown value stays; the line above the pages says that the service is away or busy.
    const isKept = this.value.peek() !== undefined && (isPassing(failure) || failure.status === 401);
    if (!isKept) this.error.value = failure;
  }
}

type Query<Id extends OperationName> = Options<Id>['query'];

const nameOf = (...parts: readonly unknown[]): string => JSON.stringify(parts);

/** Follows an operation as an event stream while the component is shown. With `path` undefined, no request is sent. */
export function useLive<Id extends OperationName>(
  id: Id,
  path: PathOf<Id> | undefined,
  query?: Query<Id>,
): Live<FrameOf<Id>> {
  const name = nameOf('live', id, path, query);
  const shown = useMemo(() => new Shown<FrameOf<Id>>(name), [name]);
  useEffect(() => {
    if (path === undefined) return undefined;
    return follow(id, path, query === undefined ? {} : { query }, {
      onFrame: (frame) => shown.show(frame),
      onState: (state) => {
        shown.state.value = state;
      },
      onError: (error) => shown.fail(error),
    });
  }, [shown]);
  return shown;
}

/** Calls an operation when the component is shown and when the request changes; with `path` undefined, not at all. */
export function useLoad<Id extends OperationName>(
  id: Id,
  path: PathOf<Id> | undefined,
  query?: Query<Id>,
): Loaded<ReplyOf<Id>> {
  const name = nameOf('load', id, path, query);
  const loader = useMemo(
    () =>
      new Loader<ReplyOf<Id>>(name, (signal) =>
        call(id, path as PathOf<Id>, { ...(query === undefined ? {} : { query }), signal }),
      ),
    [name],
  );
  useEffect(() => {
    if (path === undefined) return undefined;
    loader.reload();
    return () => loader.stop();
  }, [loader]);
  return loader;
}

const AGAIN_MS = 3000;

/**
 * As `useLoad`, and again every few seconds while the page is in sight; at once when `version` changes. For what the
 * service has no stream of.
 */
export function usePolled<Id extends OperationName>(
  id: Id,
  path: PathOf<Id> | undefined,
  query?: Query<Id>,
  version = '',
): Loaded<ReplyOf<Id>> {
  const loaded = useLoad(id, path, query);
  const isAsked = path !== undefined;
  useEffect(() => {
    if (!isAsked) return undefined;
    if (version !== '') loaded.reload();
    return every(AGAIN_MS, () => loaded.reload());
  }, [loaded, isAsked, version]);
  return loaded;
}

class Loader<T> extends Shown<T> implements Loaded<T> {
  readonly #load: (signal: AbortSignal) => Promise<T>;
  #running = new AbortController();
  #forget: () => void = () => {};

  constructor(name: string, load: (signal: AbortSignal) => Promise<T>) {
    super(name);
    this.#load = load;
  }

  stop(): void {
    this.#running.abort();
    this.#forget();
  }

  reload(): void {
    this.stop();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#load(signal).then(
      (value) => {
        if (signal.aborted) return;
        this.state.value = 'live';
        this.show(value);
      },
      (error: unknown) => {
        if (signal.aborted) return;
        this.state.value = 'ended';
        this.fail(error);
        this.#waitAfter(toApiError(error));
      },
    );
  }

  /** Asks again when the service is back, or when there is another key. */
  #waitAfter(failure: ApiError): void {
    if (failure.status === 401) this.#forget = onceSignedIn(() => this.reload());
    else if (isPassing(failure)) this.#forget = onceBack(() => this.reload());
  }
}

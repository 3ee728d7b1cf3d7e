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
  /** Undefined until the first reply; the last value stays during a reconnect. */
  readonly value: ReadonlySignal<T | undefined>;
  readonly error: ReadonlySignal<ApiError | undefined>;
  readonly state: ReadonlySignal<StreamState>;
}

/** A value that is read once, and again on demand. */
export interface Loaded<T> extends Live<T> {
  /** A request for the value is in progress. */
  readonly isBusy: boolean;
  /** Reads the value again. It needs no `this`: pages pass it on alone. */
  readonly reload: () => void;
}

/** The last shown value of each request, so that going back shows it at once. */
const cache = new Map<string, unknown>();
const MOST_CACHED = 40;

// Values that one key may read are not shown with the next key.
session.subscribe(() => cache.clear());

function remember(name: string, value: unknown): void {
  cache.delete(name);
  cache.set(name, value);
  if (cache.size > MOST_CACHED) cache.delete(cache.keys().next().value ?? '');
}

class Shown<T> implements Live<T> {
  /** The name of the value in the cache; undefined: it is not kept there. */
  readonly name: string | undefined;
  readonly value: Signal<T | undefined>;
  readonly error = signal<ApiError | undefined>(undefined);
  readonly state = signal<StreamState>('connecting');

  constructor(name: string | undefined) {
    this.name = name;
    this.value = signal(cache.get(name ?? '') as T | undefined);
  }

  show(value: T): void {
    if (this.name !== undefined) remember(this.name, value);
    this.error.value = undefined;
    this.value.value = value;
  }

  fail(error: unknown): void {
    if (isAbort(error)) return;
    const failure = toApiError(error);
    // The shown value stays; the notice above the pages reports that the service is away or busy.
    const isKept = this.value.peek() !== undefined && (isPassing(failure) || failure.status === 401);
    if (!isKept) this.error.value = failure;
  }
}

type Query<Id extends OperationName> = Options<Id>['query'];

const nameOf = (...parts: readonly unknown[]): string => JSON.stringify(parts);

/** Streams an operation while the component is shown. With `path` undefined, no request is sent. */
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

type Load<T> = (signal: AbortSignal) => Promise<T>;

function useLoader<T>(name: string, isKept: boolean, load: Load<T> | undefined, version: unknown): Loaded<T> {
  const loader = useMemo(() => new Loader<T>(isKept ? name : undefined), [name]);
  loader.load = load;
  useEffect(() => {
    loader.reload();
    return () => loader.stop();
  }, [loader, load !== undefined, version]);
  return loader;
}

/**
 * Reads a value by a function when the component is shown, and again when `version` changes. Another `name` is another
 * value. With `load` undefined, nothing is read.
 */
export const useRead = <T>(name: readonly unknown[], load: Load<T> | undefined, version?: unknown): Loaded<T> =>
  useLoader(nameOf(...name), false, load, version);

/** Calls an operation when the component is shown and when the request changes; with `path` undefined, not at all. */
export function useLoad<Id extends OperationName>(
  id: Id,
  path: PathOf<Id> | undefined,
  query?: Query<Id>,
  version?: unknown,
): Loaded<ReplyOf<Id>> {
  const load: Load<ReplyOf<Id>> = (signal) =>
    call(id, path as PathOf<Id>, { ...(query === undefined ? {} : { query }), signal });
  return useLoader(nameOf('load', id, path, query), true, path === undefined ? undefined : load, version);
}

const AGAIN_MS = 3000;

/** Reads a value again at an interval while the page is visible; not while a request for it is in progress. */
export function useReloads(loaded: Loaded<unknown>, milliseconds = AGAIN_MS): void {
  const again = () => {
    if (!loaded.isBusy) loaded.reload();
  };
  useEffect(() => every(milliseconds, again), [loaded, milliseconds]);
}

/** As `useLoad`, and again every few seconds while the page is visible: for values without a stream. */
export function usePolled<Id extends OperationName>(
  id: Id,
  path: PathOf<Id> | undefined,
  query?: Query<Id>,
  version?: unknown,
): Loaded<ReplyOf<Id>> {
  const loaded = useLoad(id, path, query, version);
  useReloads(loaded);
  return loaded;
}

class Loader<T> extends Shown<T> implements Loaded<T> {
  /** Reads the value; undefined: it is not read. */
  load: Load<T> | undefined;
  isBusy = false;
  #running = new AbortController();
  #forget: () => void = () => {};

  stop(): void {
    this.isBusy = false;
    this.#running.abort();
    this.#forget();
  }

  readonly reload = (): void => {
    this.stop();
    if (this.load === undefined) return;
    this.isBusy = true;
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.load(signal).then(
      (value) => {
        if (signal.aborted) return;
        this.isBusy = false;
        this.state.value = 'live';
        this.show(value);
      },
      (error: unknown) => {
        if (signal.aborted) return;
        this.isBusy = false;
        this.state.value = 'ended';
        this.fail(error);
        this.#waitAfter(toApiError(error));
      },
    );
  };

  /** Retries when the service replies again, or with the next key. */
  #waitAfter(failure: ApiError): void {
    if (failure.status === 401) this.#forget = onceSignedIn(() => this.reload());
    else if (isPassing(failure)) this.#forget = onceBack(() => this.reload());
  }
}

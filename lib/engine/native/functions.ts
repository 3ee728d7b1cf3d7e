import type { Outcome } from '../http/outcome.ts';
import type { PreparedRequest } from '../http/prepared.ts';
import { sendCall } from '../http/sending.ts';
import type { RunnerPorts } from '../ports.ts';

/** One call of a native function. */
export interface NativeContext {
  readonly ports: RunnerPorts;
  readonly namespaceId: string;
  readonly namespace: string;
  /** The same for every repetition and retry of the call. */
  readonly key: string;
  /** The id of this attempt. */
  readonly id: string;
  /** The id of the run at the top of the callers. */
  readonly root: string;
  /** When the caller stops waiting, milliseconds since 1970. */
  readonly until: number;
  /** Aborted when the result is not needed any more. */
  readonly signal?: AbortSignal;
}

/** Does the work of a native function for its prepared input. Never throws for what the outside does. */
export type NativeFunction = (context: NativeContext, input: unknown) => Promise<Outcome>;

const http: NativeFunction = ({ namespaceId, namespace, key, id, root, ...call }, input) =>
  sendCall({
    ...call,
    identity: { namespaceId, namespace, idempotencyKey: key, trace: root, span: id },
    request: input as PreparedRequest,
  });

/** The native functions by the names that stored calls hold; a name never changes its meaning. */
const FUNCTIONS = { http } as const satisfies Readonly<Record<string, NativeFunction>>;

/** The name of a native function. */
export type NativeName = keyof typeof FUNCTIONS;

/** The native function of a name; undefined for one that this version does not know. */
export const nativeOf = (name: string): NativeFunction | undefined =>
  Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name as NativeName] : undefined;

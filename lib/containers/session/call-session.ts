import type { ContainerCall, ContainerHost, ContainerOutput, OutputScope, ReadScope } from '../../ports/containers.ts';
import type { FunctionAnswer, HostMessage, HostRequest, OutputPart, SidecarMessage } from '../sidecar/messages.ts';
import { type FileEntry, packDirectory } from './archives.ts';
import { callHeaders } from './protocol.ts';

/** The outcome of a call of a function. */
export interface CallOutcome {
  readonly answered: FunctionAnswer;
  readonly body: Buffer;
  readonly outputs: readonly ContainerOutput[];
}

type ReceivedPart = { readonly part: OutputPart; readonly bytes: Buffer };
/** Sends a message to the sidecar. */
export type SendToSidecar = (message: HostMessage, body?: Uint8Array) => void;

const NOTHING: Buffer = Buffer.alloc(0);
/** On Lambda the function could send frames in place of the sidecar, so their content is checked. */
const SCOPES: ReadonlySet<string> = new Set<OutputScope>(['namespace', 'workflow', 'instance']);
const isReadScope = (scope: string): scope is ReadScope => SCOPES.has(scope) || scope === 'file';
const KINDS: ReadonlySet<string> = new Set<OutputPart['kind']>(['file', 'directory']);

/** The service's side of one call, for any transport: serves the requests of the function and collects its outputs. */
export class CallSession {
  /** Resolves when the call is over. */
  readonly outcome: Promise<CallOutcome>;
  readonly #call: ContainerCall;
  readonly #send: SendToSidecar;
  readonly #parts: ReceivedPart[] = [];
  readonly #pendingRequests = new Set<Promise<void>>();
  #isOver = false;
  #resolve: (outcome: CallOutcome | Promise<CallOutcome>) => void = () => undefined;

  constructor(call: ContainerCall, send: SendToSidecar) {
    this.#call = call;
    this.#send = send;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    // The caller may have stopped waiting for the outcome.
    this.outcome.catch(() => undefined);
  }

  /** Sends the files, and the call of the function. */
  start(entries: readonly FileEntry[]): void {
    const { actionId: id, input } = this.#call;
    for (const { bytes, ...entry } of entries) {
      this.#send({ do: 'file', id, ...entry }, bytes);
    }
    this.#send({ do: 'call', id, headers: callHeaders(this.#call) }, input);
  }

  /** Handles a message of the sidecar. Resolves when the next one may be handled (backpressure). */
  async receive(message: SidecarMessage, body: Buffer): Promise<void> {
    if (message.say === 'ask') this.#serve(message.id, message.asked, body);
    if (message.say === 'output') this.#addPart(message.part, body);
    // The function does not wait for the entry. When the call is over, the host writes the entries that failed here.
    if (message.say === 'log') await serveRequest(this.#call.host, { what: 'log' }, body).catch(() => undefined);
    if (message.say === 'done') this.finish(toPlainAnswer(message.answered), body);
  }

  /** Ends the call with the outputs that were received so far. Only the first call of this method has an effect. */
  finish(answered: FunctionAnswer, body: Buffer = NOTHING): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#resolve(this.#collectOutcome(answered, body));
  }

  #addPart(part: OutputPart, bytes: Buffer): void {
    const isValid = SCOPES.has(part.scope) && [part.name, part.path].every((text) => typeof text === 'string');
    if (isValid && KINDS.has(part.kind)) this.#parts.push({ part, bytes: part.kind === 'file' ? bytes : NOTHING });
  }

  async #collectOutcome(answered: FunctionAnswer, body: Buffer): Promise<CallOutcome> {
    // The function may have answered before its last request was served.
    await Promise.all(this.#pendingRequests);
    return { answered, body, outputs: await toOutputs(this.#parts) };
  }

  #serve(id: number, request: HostRequest, body: Buffer): void {
    const pending = serveRequest(this.#call.host, request, body)
      .then(
        (bytes) => this.#send({ do: 'answer', id, status: 200 }, bytes),
        (error: unknown) => this.#send({ do: 'answer', id, status: 500 }, Buffer.from(messageOf(error))),
      )
      .finally(() => this.#pendingRequests.delete(pending));
    this.#pendingRequests.add(pending);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The answer with fields of the right types. */
function toPlainAnswer({ status, errorCode, errorMessage, problem, ...more }: FunctionAnswer): FunctionAnswer {
  const texts = { errorCode: String(errorCode), errorMessage: String(errorMessage), problem: String(problem) };
  return { ...texts, status: Number(status), isLost: more.isLost === true, isRefused: more.isRefused === true };
}

/**
 * Serves a request of a function (workflow-language reference, 11.5 and 11.6): an empty log entry is ignored, a
 * variable that does not exist is empty.
 */
async function serveRequest(host: ContainerHost, request: HostRequest, body: Buffer): Promise<Uint8Array> {
  if (request.what === 'log') {
    if (body.length > 0) await host.log(body.toString('utf8'));
    return NOTHING;
  }
  const { scope } = request;
  if (!isReadScope(scope)) throw new Error(`there is no scope '${scope}'`);
  if (request.what === 'get') return (await host.variable(scope, String(request.key))) ?? NOTHING;
  if (scope === 'file') throw new Error("the scope 'file' is read-only");
  await host.setVariable(scope, String(request.key), body, request.mimeType);
  return NOTHING;
}

/** Files as they are, directories as tar.gz (workflow-language reference, 11.7). */
async function toOutputs(parts: readonly ReceivedPart[]): Promise<ContainerOutput[]> {
  const roots = parts.filter(({ part }) => part.path === '');
  return Promise.all(
    roots.map(async ({ part: { scope, name, kind }, bytes }) => {
      const inside = parts.filter(({ part }) => part.scope === scope && part.name === name && part.path !== '');
      const entries = inside.map(({ part, bytes: content }) => ({ ...part, bytes: content }));
      const content = kind === 'file' ? bytes : await packDirectory(entries);
      return { scope: scope as OutputScope, name, bytes: content };
    }),
  );
}

import type { ContainerCall, ContainerHost, ContainerOutput, OutputScope, ReadScope } from '../../ports/containers.ts';
import type { Answered, Asked, FromBeside, OutputPart, ToBeside } from '../sidecar/messages.ts';
import { type Entry, packed } from './archives.ts';
import { headersOf } from './protocol.ts';

/** What a call of a function came to. */
export interface Told {
  readonly answered: Answered;
  readonly body: Buffer;
  readonly outputs: readonly ContainerOutput[];
}

type Part = { readonly part: OutputPart; readonly bytes: Buffer };
export type Send = (message: ToBeside, body?: Uint8Array) => void;

const NOTHING: Buffer = Buffer.alloc(0);
/** What stands beside a function on Lambda is within reach of the function, so it is not believed to be ours. */
const SCOPES: ReadonlySet<string> = new Set<OutputScope>(['namespace', 'workflow', 'instance']);
const isReadScope = (scope: string): scope is ReadScope => SCOPES.has(scope) || scope === 'file';

const KINDS: ReadonlySet<string> = new Set<OutputPart['kind']>(['file', 'directory']);

function plain({ status, errorCode, errorMessage, problem, isLost }: Answered): Answered {
  const told = { errorCode: String(errorCode), errorMessage: String(errorMessage), problem: String(problem) };
  return { ...told, status: Number(status), isLost: isLost === true };
}

/** The service's side of one call, whoever carries it: it answers what the function asks and gathers what it leaves. */
export class Conversation {
  /** Resolves when the call is over. */
  readonly told: Promise<Told>;
  readonly #call: ContainerCall;
  readonly #send: Send;
  readonly #parts: Part[] = [];
  readonly #answering = new Set<Promise<void>>();
  #isOver = false;
  #settle: (told: Told | Promise<Told>) => void = () => undefined;

  constructor(call: ContainerCall, send: Send) {
    this.#call = call;
    this.#send = send;
    this.told = new Promise((resolve) => {
      this.#settle = resolve;
    });
    // Nobody may be there any more to hear of it.
    this.told.catch(() => undefined);
  }

  /** Hands over the files, and calls the function. */
  begin(entries: readonly Entry[]): void {
    const { actionId: id, input } = this.#call;
    for (const { path, kind, isExecutable, bytes } of entries) {
      this.#send({ do: 'file', id, path, kind, isExecutable }, bytes);
    }
    this.#send({ do: 'call', id, headers: headersOf(this.#call) }, input);
  }

  /** Takes what is said from beside the function. Resolves when there is room for more. */
  async hear(message: FromBeside, body: Buffer): Promise<void> {
    if (message.say === 'ask') this.#answer(message.id, message.asked, body);
    if (message.say === 'output') this.#take(message.part, body);
    // The function does not wait for it. What cannot be written yet is written when the call is over.
    if (message.say === 'log') await answerTo(this.#call.host, { what: 'log' }, body).catch(() => undefined);
    if (message.say === 'done') this.end(plain(message.answered), body);
  }

  /** Ends it, with all that was left so far; who comes later changes nothing. */
  end(answered: Answered, body: Buffer = NOTHING): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(this.#gathered(answered, body));
  }

  #take(part: OutputPart, bytes: Buffer): void {
    const isSound = SCOPES.has(part.scope) && [part.name, part.path].every((text) => typeof text === 'string');
    if (isSound && KINDS.has(part.kind)) this.#parts.push({ part, bytes: part.kind === 'file' ? bytes : NOTHING });
  }

  async #gathered(answered: Answered, body: Buffer): Promise<Told> {
    // A function may ask and not wait for the answer.
    await Promise.all(this.#answering);
    return { answered, body, outputs: await toOutputs(this.#parts) };
  }

  #answer(id: number, asked: Asked, body: Buffer): void {
    const answering = answerTo(this.#call.host, asked, body)
      .then(
        (bytes) => this.#send({ do: 'answer', id, status: 200 }, bytes),
        (error: unknown) => this.#send({ do: 'answer', id, status: 500 }, Buffer.from(wordsOf(error))),
      )
      .finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Workflow-language reference, 11.5 and 11.6: an empty log entry is none, a variable that is not there is empty. */
async function answerTo(host: ContainerHost, asked: Asked, body: Buffer): Promise<Uint8Array> {
  if (asked.what === 'log') {
    if (body.length > 0) await host.log(body.toString('utf8'));
    return NOTHING;
  }
  const { scope } = asked;
  if (!isReadScope(scope)) throw new Error(`there is no scope '${scope}'`);
  if (asked.what === 'get') return (await host.variable(scope, String(asked.key))) ?? NOTHING;
  if (scope === 'file') throw new Error("the scope 'file' is read-only");
  await host.setVariable(scope, String(asked.key), body, asked.mimeType);
  return NOTHING;
}

/** Files as they are, directories as tar.gz (workflow-language reference, 11.7). */
async function toOutputs(parts: readonly Part[]): Promise<ContainerOutput[]> {
  const roots = parts.filter(({ part }) => part.path === '');
  return Promise.all(
    roots.map(async ({ part: { scope, name, kind }, bytes }) => {
      const inside = parts.filter(({ part }) => part.scope === scope && part.name === name && part.path !== '');
      const all = kind === 'file' ? bytes : await packed(inside.map(({ part, bytes }) => ({ ...part, bytes })));
      return { scope: scope as OutputScope, name, bytes: all };
    }),
  );
}

import { type Jq, loadJq } from 'jq-wasm/inline';
import { parseJson } from '../../json-numbers.ts';
import { ownMember } from '../../own-members.ts';

/** A function of this process that jq programs call: its arguments and its result are JSON values. */
export type HostFunction = (...args: readonly unknown[]) => unknown;

/** The two functions of jq-wasm's imports by which jq reads and writes, as this version of the package names them. */
const READ = 'h';
const WRITE = 'd';

type SystemCall = (file: number, vectors: number, count: number, result: number) => number;

/** The beginning of a text on standard error that is a call and not a message. */
const CALL = '@call';
const STANDARD_ERROR = 2;

/**
 * The definition by which jq programs call the host: `_call("name"; [arguments])`. It writes the call to standard error
 * and reads the reply from standard input: jq has no other way out. The text of the input must end with a line feed.
 */
export const CALL_DEFINITION = `def _call($f; $args): ("${CALL}" + ([$f, $args] | tojson) | stderr) | input;`;

/** Answers the calls of one instance of jq. */
class HostChannel {
  readonly imports: WebAssembly.Imports;
  readonly #functions: Readonly<Record<string, HostFunction>>;
  #memory: WebAssembly.Memory | undefined;
  #reply = Buffer.alloc(0);

  constructor(imports: WebAssembly.Imports, functions: Readonly<Record<string, HostFunction>>) {
    this.#functions = functions;
    const own = imports['a'] as Record<string, SystemCall>;
    const { [READ]: read, [WRITE]: write } = own;
    if (read === undefined || write === undefined) throw new Error('jq-wasm has other imports than those known');
    this.imports = {
      ...imports,
      a: {
        ...own,
        [READ]: (...call: Parameters<SystemCall>) => (this.#reply.length === 0 ? read(...call) : this.#send(call)),
        [WRITE]: (...call: Parameters<SystemCall>) => (this.#receive(call) ? 0 : write(...call)),
      },
    };
  }

  /** The memory in which jq's buffers are. */
  attach(exports: WebAssembly.Exports): void {
    this.#memory = Object.values(exports).find((one): one is WebAssembly.Memory => one instanceof WebAssembly.Memory);
  }

  #view(): DataView {
    return new DataView(this.#memory?.buffer ?? new ArrayBuffer(0));
  }

  #buffers(vectors: number, count: number): Buffer[] {
    const view = this.#view();
    return Array.from({ length: count }, (_, index) => {
      const [at, length] = [view.getUint32(vectors + 8 * index, true), view.getUint32(vectors + 8 * index + 4, true)];
      return Buffer.from(view.buffer as ArrayBuffer, at, length);
    });
  }

  #send([, vectors, count, result]: Parameters<SystemCall>): number {
    let sent = 0;
    for (const buffer of this.#buffers(vectors, count)) sent += this.#reply.copy(buffer, 0, sent);
    this.#reply = this.#reply.subarray(sent);
    this.#view().setUint32(result, sent, true);
    return 0;
  }

  #receive([file, vectors, count, result]: Parameters<SystemCall>): boolean {
    if (file !== STANDARD_ERROR) return false;
    const text = Buffer.concat(this.#buffers(vectors, count));
    if (!text.subarray(0, CALL.length).equals(Buffer.from(CALL))) return false;
    const [name, args] = parseJson(text.toString().slice(CALL.length)) as [string, unknown[]];
    this.#reply = Buffer.from(`${JSON.stringify(ownMember(this.#functions, name)?.(...args) ?? null)}\n`);
    this.#view().setUint32(result, text.length, true);
    return true;
  }
}

/** Loads jq-wasm with functions that its programs can call by CALL_DEFINITION; a result that is undefined is null. */
export async function loadHostedJq(functions: Readonly<Record<string, HostFunction>>): Promise<Jq> {
  const { instantiate } = WebAssembly;
  // The package gives its own module no other way to further imports.
  const connected: typeof instantiate = async (source, imports = {}) => {
    if (typeof imports['a']?.[READ] !== 'function') return instantiate(source, imports);
    const channel = new HostChannel(imports, functions);
    const loaded = await instantiate(source, channel.imports);
    channel.attach(loaded.instance.exports);
    return loaded;
  };
  WebAssembly.instantiate = connected;
  try {
    return await loadJq();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

import { jsonWith, type Reply } from '../../../lib/api/http/reply.ts';
import type { RequestHead } from '../../../lib/api/http/request.ts';
import type { Ports } from '../../../lib/ports/ports.ts';

/** How long a link to the console can sign in, milliseconds. */
export const LINK_MS = 600_000;

/** The path at which the console exchanges the code of a link for the key. */
const PATH = '/ui/sign-in';

/** The header with the code: unlike a query, it is in no log and no history. A page of another origin cannot send it. */
const HEADER = 'sign-in-code';

const NO_STORE = { 'Cache-Control': 'no-store' };

/** Links that sign in to the console once. They are in the memory of this process. */
export class SignInLinks {
  readonly #ports: Pick<Ports, 'clock' | 'vault'>;
  /** When each code ends, milliseconds since 1970. */
  readonly #ends = new Map<string, number>();

  constructor(ports: Pick<Ports, 'clock' | 'vault'>) {
    this.#ports = ports;
  }

  /** A new link. Its code is in the fragment, which a browser does not send. */
  issue(url: string): string {
    const code = this.#ports.clock.secret();
    this.#ends.set(code, this.#ports.clock.now() + LINK_MS);
    return `${url}/ui/#code=${code}`;
  }

  /** The reply to a request that exchanges a code; undefined for any other request. The code is used up. */
  async replyTo({ method, path, headers }: RequestHead): Promise<Reply | undefined> {
    if (method !== 'POST' || path !== PATH) return undefined;
    const code = headers[HEADER] ?? '';
    const end = this.#ends.get(code);
    this.#ends.delete(code);
    if (end !== undefined && this.#ports.clock.now() < end) {
      return jsonWith({ key: await this.#ports.vault.adminKey() }, NO_STORE);
    }
    const message = 'the link was used before, or is older than ten minutes; paste the key, or start weft dev again';
    return jsonWith({ code: 401, message }, NO_STORE, 401);
  }
}

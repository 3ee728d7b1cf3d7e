import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';

const VERSION = '/2018-06-01/runtime';

/** One event for the function. */
export interface Invocation {
  readonly id: string;
  /** When Lambda ends this process if there is no answer, milliseconds since 1970. */
  readonly deadline: number;
  readonly event: Buffer;
}

/** An answer that is sent piece by piece. */
export interface Answer {
  readonly stream: ClientRequest;
  /** Resolves when Lambda has taken all of it; with an error where it has not. */
  readonly taken: Promise<Error | undefined>;
}

/** Lambda's Runtime API, as it is spoken inside an execution environment. */
export class RuntimeApi {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  /** Waits for the next event, for days if need be: the environment stands still meanwhile. */
  async next(): Promise<Invocation> {
    const asked = this.#request('GET', '/invocation/next', {});
    asked.end();
    const answer = await answerTo(asked);
    const event = await buffer(answer);
    if (answer.statusCode !== 200) throw new Error(`the runtime interface answers ${answer.statusCode}: ${event}`);
    const headers = answer.headers;
    return {
      id: String(headers['lambda-runtime-aws-request-id']),
      deadline: Number(headers['lambda-runtime-deadline-ms']),
      event,
    };
  }

  /** Begins the answer to an event. */
  answer(id: string): Answer {
    const stream = this.#request('POST', `/invocation/${id}/response`, {
      'Lambda-Runtime-Function-Response-Mode': 'streaming',
      'Transfer-Encoding': 'chunked',
      'Content-Type': 'application/octet-stream',
    });
    const taken = answerTo(stream).then(
      async (answer) => {
        const words = await text(answer);
        return answer.statusCode === 202 ? undefined : new Error(`${answer.statusCode} ${words}`);
      },
      (error: Error) => error,
    );
    return { stream, taken };
  }

  /** Tells that an event was not understood. */
  async refuse(id: string, message: string): Promise<void> {
    await this.#post(`/invocation/${id}/error`, 'Weft.UnknownEvent', message);
  }

  /** Tells that this process cannot begin. */
  async failInit(message: string): Promise<void> {
    await this.#post('/init/error', 'Weft.CannotBegin', message);
  }

  async #post(path: string, errorType: string, errorMessage: string): Promise<void> {
    const asked = this.#request('POST', path, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Function-Error-Type': errorType,
    });
    asked.end(JSON.stringify({ errorType, errorMessage, stackTrace: [] }));
    await text(await answerTo(asked));
  }

  #request(method: string, path: string, headers: Readonly<Record<string, string>>): ClientRequest {
    return request(`http://${this.#address}${VERSION}${path}`, { method, headers, agent: false });
  }
}

function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asked.once('response', resolve);
    // More than one may come, the later ones when nobody waits any more.
    asked.on('error', reject);
  });
}

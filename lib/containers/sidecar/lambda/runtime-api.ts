import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';

const VERSION = '/2018-06-01/runtime';

/** An invocation of the function. */
export interface Invocation {
  readonly id: string;
  /** When Lambda ends this process if there is no response, milliseconds since 1970. */
  readonly deadline: number;
  readonly event: Buffer;
}

/** A response that is streamed. */
export interface StreamedResponse {
  readonly stream: ClientRequest;
  /** Resolves when Lambda has received the response; with the error if it has not. */
  readonly received: Promise<Error | undefined>;
}

/** A client of Lambda's Runtime API, which is available inside an execution environment. */
export class RuntimeApi {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  /** Waits for the next invocation. Lambda may freeze the environment for days meanwhile. */
  async next(): Promise<Invocation> {
    const outgoing = this.#request('GET', '/invocation/next', {});
    outgoing.end();
    const response = await responseTo(outgoing);
    const event = await buffer(response);
    if (response.statusCode !== 200) throw new Error(`the runtime interface answers ${response.statusCode}: ${event}`);
    const { headers } = response;
    return {
      id: String(headers['lambda-runtime-aws-request-id']),
      deadline: Number(headers['lambda-runtime-deadline-ms']),
      event,
    };
  }

  /** Starts the response to an invocation. */
  respond(id: string): StreamedResponse {
    const stream = this.#request('POST', `/invocation/${id}/response`, {
      'Lambda-Runtime-Function-Response-Mode': 'streaming',
      'Transfer-Encoding': 'chunked',
      'Content-Type': 'application/octet-stream',
    });
    const received = responseTo(stream).then(
      async (response) => {
        const details = await text(response);
        return response.statusCode === 202 ? undefined : new Error(`${response.statusCode} ${details}`);
      },
      (error: Error) => error,
    );
    return { stream, received };
  }

  /** Reports that the event of an invocation is invalid. */
  async reportError(id: string, message: string): Promise<void> {
    await this.#post(`/invocation/${id}/error`, 'Weft.UnknownEvent', message);
  }

  /** Reports that this process cannot start. */
  async reportInitError(message: string): Promise<void> {
    await this.#post('/init/error', 'Weft.CannotBegin', message);
  }

  async #post(path: string, errorType: string, errorMessage: string): Promise<void> {
    const outgoing = this.#request('POST', path, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Function-Error-Type': errorType,
    });
    outgoing.end(JSON.stringify({ errorType, errorMessage, stackTrace: [] }));
    await text(await responseTo(outgoing));
  }

  #request(method: string, path: string, headers: Readonly<Record<string, string>>): ClientRequest {
    return request(`http://${this.#address}${VERSION}${path}`, { method, headers, agent: false });
  }
}

function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // There may be further errors after the first.
    outgoing.on('error', reject);
  });
}

import type { MailRequest } from '../../lib/ports/callees/web.ts';
import { UnreachableError, type Web, type WebRequest, type WebResponse } from '../../lib/ports/callees/web.ts';

/** How a server answers a request. */
export type Reply = (request: WebRequest) => Promise<WebResponse> | WebResponse;

/** A response with a JSON body. */
export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): WebResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(value)),
});

/** Servers that answer as a test defines, without a network. They record the requests. */
export class ProgrammedWeb implements Web {
  readonly requests: WebRequest[] = [];
  readonly deliveries: MailRequest[] = [];
  reply: Reply;
  /** Accepts or refuses mails, by throwing. */
  accept: (request: MailRequest) => Promise<void> = async () => {};

  constructor(reply: Reply = () => json({})) {
    this.reply = reply;
  }

  async get(): Promise<never> {
    throw new UnreachableError('no server');
  }

  async send(request: WebRequest): Promise<WebResponse> {
    this.requests.push(request);
    return this.reply(request);
  }

  async deliver(request: MailRequest): Promise<void> {
    this.deliveries.push(request);
    await this.accept(request);
  }
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One answer of a server; status 200 by default. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** The answers to each request `METHOD /path?query`, in sequence; the last one is repeated. */
export type AnswerScript = Readonly<Record<string, readonly ScriptedAnswer[]>>;

/** A server of this machine that answers by a script. */
export interface AnsweringServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server at an address of this machine that answers by a script, and any other request with 404. */
export async function startAnswering(script: AnswerScript, host = '127.0.0.1'): Promise<AnsweringServer> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    const answers = script[name] ?? [{ status: 404 }];
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const { status = 200, headers = {}, json } = answers[Math.min(count, answers.length - 1)] ?? {};
    const type = json === undefined ? {} : { 'Content-Type': 'application/json' };
    response.writeHead(status, { ...type, ...headers }).end(json === undefined ? '' : JSON.stringify(json));
  });
  await new Promise<void>((resolve) => void server.listen(0, host, () => resolve()));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

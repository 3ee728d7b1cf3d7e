import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { KEY } from './client.ts';

/** Sends a request on a connection that stays open, one at a time, and returns the text of the reply. */
export interface WireClient {
  send(method: string, path: string, body?: string): Promise<string>;
  close(): void;
}

const HEAD_END = '\r\n\r\n';

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The reply in the bytes so far; undefined while it is incomplete. Every reply that is measured has a Content-Length. */
function replyIn(bytes: Buffer): Reply | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`a reply without Content-Length: ${head}`);
  const from = end + HEAD_END.length;
  if (bytes.length < from + length) return undefined;
  return { status: Number(head.slice(9, 12)), text: bytes.toString('utf8', from, from + length) };
}

function readReply(socket: Socket): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (work: () => void) => {
      socket.off('data', onData).off('error', onError).off('close', onClose);
      work();
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onClose = () => onError(new Error('the server has closed the connection'));
    const onData = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const reply = replyIn(bytes);
      if (reply !== undefined) settle(() => resolve(reply));
    };
    socket.on('data', onData).on('error', onError).on('close', onClose);
  });
}

async function open({ hostname, port }: URL): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/**
 * Opens a client that does as little as possible: on a machine with few cores, the time of the client limits the rate of
 * the server. `send` rejects for a status that is not 2xx.
 */
export async function openWireClient(url: URL): Promise<WireClient> {
  let socket = await open(url);
  return {
    async send(method, path, body = '') {
      // A server closes a connection that is not used for some seconds.
      if (socket.closed || socket.readableEnded) socket = await open(url);
      const reply = readReply(socket);
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: ${url.hostname}\r\nService-Api-Key: ${KEY}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}${HEAD_END}${body}`,
      );
      const { status, text } = await reply;
      if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text}`);
      return text;
    },
    close: () => socket.destroy(),
  };
}

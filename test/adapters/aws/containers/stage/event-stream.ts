/** Lambda's answer to InvokeWithResponseStream, as it is on the wire (Amazon's event stream encoding). */
import { crc32 } from 'node:zlib';
import { frameOf } from '../../../../../lib/containers/sidecar/frames.ts';
import type { FunctionAnswer, SidecarMessage } from '../../../../../lib/containers/sidecar/messages.ts';
import type { Reply } from '../../server.ts';

export const STREAM_TYPE = 'application/vnd.amazon.eventstream';
const TEXT = 7;

function number(size: 2 | 4, value: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}

function headerOf(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name), Buffer.from(value)];
  return Buffer.concat([Buffer.of(key.length), key, Buffer.of(TEXT), number(2, text.length), text]);
}

function message(type: string, contentType: string, payload: Uint8Array): Buffer {
  const headers = Buffer.concat([
    headerOf(':message-type', 'event'),
    headerOf(':event-type', type),
    headerOf(':content-type', contentType),
  ]);
  const sizes = Buffer.concat([number(4, headers.length + payload.length + 16), number(4, headers.length)]);
  const checked = Buffer.concat([sizes, number(4, crc32(sizes)), headers, payload]);
  return Buffer.concat([checked, number(4, crc32(checked))]);
}

export const chunkOf = (bytes: Uint8Array): Buffer => message('PayloadChunk', 'application/octet-stream', bytes);

export const completion = (problem: { readonly ErrorCode?: string; readonly ErrorDetails?: string } = {}): Buffer =>
  message('InvokeComplete', 'application/json', Buffer.from(JSON.stringify(problem)));

/** What a container says, in one answer of Lambda. */
export function said(...messages: readonly (readonly [SidecarMessage, string?])[]): Reply {
  const frames = messages.map(([head, body]) => frameOf(head, Buffer.from(body ?? '')));
  const body = Buffer.concat([chunkOf(Buffer.concat(frames)), completion()]);
  return { headers: { 'content-type': STREAM_TYPE }, body };
}

/** The end of a call. */
export const done = (given: Partial<FunctionAnswer> = {}): SidecarMessage => ({
  say: 'done',
  id: '',
  answered: { status: 200, errorCode: '', errorMessage: '', problem: '', ...given },
});

/**
 * The sidecar on one machine, in a container whose network the function's container shares: it serves localhost:8889,
 * calls localhost:8080 and manages the temporary directories. Frames are exchanged by standard input and output, and it
 * ends with them. Its container has only Node and this folder.
 */
import { DEFAULT_PORTS } from './config.ts';
import { FrameReader, writeFrame } from './frames.ts';
import { HostSession } from './host-session.ts';
import type { HostMessage, SidecarMessage } from './messages.ts';
import { serveRequests } from './requests.ts';

const send = (message: SidecarMessage, body?: Uint8Array) => writeFrame(process.stdout, message, body);
const session = new HostSession({ ...DEFAULT_PORTS, root: '/mnt/shared' }, send);

const reader = new FrameReader<HostMessage>();
process.stdin.on('data', (chunk: Buffer) => {
  for (const { head, body } of reader.push(chunk)) session.handle(head, body);
});
process.stdin.on('close', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
await serveRequests(DEFAULT_PORTS.servicePort, session.request);
send({ say: 'ready' });

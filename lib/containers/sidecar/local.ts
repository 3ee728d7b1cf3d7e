/**
 * What runs beside a function on one machine, in a container that shares its network: it serves localhost:8889, calls
 * localhost:8080 and keeps the temporary directories. It speaks with the service through its standard input and output,
 * and ends with them. There is nothing in its container but Node and this folder.
 */
import { Desk } from './desk.ts';
import { FrameReader, writeFrame } from './frames.ts';
import type { FromBeside, ToBeside } from './messages.ts';
import { PORTS } from './place.ts';
import { serveRequests } from './requests.ts';

const send = (message: FromBeside, body?: Uint8Array) => writeFrame(process.stdout, message, body);
const desk = new Desk({ ...PORTS, root: '/mnt/shared' }, send);

const reader = new FrameReader<ToBeside>();
process.stdin.on('data', (chunk: Buffer) => {
  for (const { head, body } of reader.push(chunk)) desk.handle(head, body);
});
process.stdin.on('close', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
await serveRequests(PORTS.servicePort, desk.ask);
send({ say: 'ready' });

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Reads no more of a connection, also when Node resumes it to fill the buffer of a body. Returns the function that goes on. */
export function holdReading(socket: Socket): () => void {
  const stop = () => void socket.pause();
  socket.on('resume', stop);
  stop();
  return () => {
    socket.off('resume', stop);
    socket.resume();
  };
}

const releases = new WeakMap<IncomingMessage, () => void>();

/**
 * Holds the connection of a request with chunks until its body is read: else Node parses chunks until they fill a buffer, in
 * one turn of the event loop, and 65,536 chunks of one byte do.
 */
export function holdChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return;
  releases.set(request, holdReading(request.socket));
  const release = () => releaseChunks(request);
  request.once('end', release).once('close', release);
}

/** Goes on with the connection of a request that `holdChunks` holds. */
export function releaseChunks(request: IncomingMessage): void {
  const release = releases.get(request);
  releases.delete(request);
  release?.();
}

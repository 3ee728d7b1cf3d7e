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

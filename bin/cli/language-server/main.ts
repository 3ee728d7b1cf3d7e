import { createConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { LanguageServer } from './server.ts';

/**
 * Serves the Language Server Protocol over two streams, until the client sends `exit` or the signal is aborted. The
 * connection ends the process at `exit`, as the protocol requires.
 */
export async function serveLanguage(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  signal: AbortSignal,
): Promise<void> {
  const connection = createConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    input.once('end', resolve);
  });
  new LanguageServer(connection).listen();
  await ended;
  connection.dispose();
}

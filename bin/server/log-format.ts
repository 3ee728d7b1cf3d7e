import { format } from 'node:util';

const LEVELS = { log: 'INFO', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

/** The stream for a line of the log, by the method that writes it. */
type Streams = Readonly<Record<keyof typeof LEVELS, { write(text: string): unknown }>>;

function errorMembers(error: Error | undefined): object {
  if (error === undefined) return {};
  const { name, message, stack = '' } = error;
  return { errorType: name, errorMessage: message, stackTrace: stack.split('\n') };
}

/** One line of the log as JSON, with the members that Lambda gives the lines of a function; times are RFC 3339. */
function lineOf(level: string, values: readonly unknown[], at: Date): string {
  const error = values.find((value) => value instanceof Error);
  const texts = values.filter((value) => value !== error);
  const message = texts.length > 0 ? format(...texts) : error?.message;
  return JSON.stringify({ timestamp: at.toISOString(), level, message, ...errorMembers(error) });
}

const { stdout, stderr } = process;
const STREAMS: Streams = { log: stdout, info: stdout, warn: stderr, error: stderr };

/** From now on, each line that this process logs is a JSON object. */
export function logAsJson(target: Pick<Console, keyof Streams> = console, streams: Streams = STREAMS): void {
  for (const method of ['log', 'info', 'warn', 'error'] as const) {
    target[method] = (...values: unknown[]) =>
      void streams[method].write(`${lineOf(LEVELS[method], values, new Date())}\n`);
  }
}

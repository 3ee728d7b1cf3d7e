/**
 * The sidecar on AWS Lambda, which runs inside the container's own image: it starts the program that its arguments
 * name, speaks Lambda's Runtime API, serves localhost:8889, calls localhost:8080 and manages the temporary directories.
 * Only `/tmp` is writable.
 */
import { DEFAULT_PORTS } from '../config.ts';
import { serveEnvironment } from './execution-environment.ts';

await serveEnvironment({
  command: process.argv.slice(2),
  environment: process.env,
  config: { ...DEFAULT_PORTS, root: '/tmp/shared' },
  timeouts: { listenMs: 120_000, cancelMs: 10_000, pollMs: 1_000 },
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

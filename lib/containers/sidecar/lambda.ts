/**
 * What runs beside a function on AWS Lambda, inside the function's own image: it starts the program that its arguments
 * name, speaks Lambda's Runtime API, serves localhost:8889, calls localhost:8080 and keeps the temporary directories.
 * The only place that may be written to is `/tmp`.
 */
import { serveCopy } from './copy.ts';
import { PORTS } from './place.ts';

await serveCopy({
  command: process.argv.slice(2),
  environment: process.env,
  place: { ...PORTS, root: '/tmp/shared' },
  patience: { listenMs: 120_000, cancelMs: 10_000, lookMs: 1_000 },
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});

import { prepareConsole } from '../console/build.ts';
import { startService } from './service.ts';
import { readSettings } from './settings.ts';

async function serveUntilStopped(): Promise<void> {
  // The service works without its console.
  await prepareConsole().catch((error: unknown) => console.error('the console could not be built:', error));
  const service = await startService(readSettings(process.env), {
    onLost: (reason) => {
      console.error(`the database ended by itself, so Weft ends too; start it again. ${reason}`);
      process.exit(1);
    },
  });
  console.log(`Weft listening on ${service.url}`);
  console.log(`Console: ${service.url}/ui`);
  console.log(`Key: ${service.key}`);
  console.log(`Try: curl -H 'Service-Api-Key: ${service.key}' ${service.url}/api/version`);
  let isEnding = false;
  const end = async () => {
    if (isEnding) return;
    isEnding = true;
    await service.close();
    process.exitCode = 0;
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

/** Runs the whole service in this process, durable under WEFT_DATA, until SIGTERM or SIGINT. Prints why it cannot start. */
export async function main(): Promise<void> {
  await serveUntilStopped().catch((error: unknown) => {
    console.error(error instanceof Error ? `Weft could not start: ${error.message}` : error);
    process.exitCode = 1;
  });
}

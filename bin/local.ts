import { startService } from './service.ts';
import { readSettings } from './settings.ts';

/** `npm start`: the whole service in one process, durable under WEFT_DATA. */
async function main(): Promise<void> {
  const service = await startService(readSettings(process.env), {
    onLost: (reason) => {
      console.error(`the database ended by itself, so Weft ends too; start it again. ${reason}`);
      process.exit(1);
    },
  });
  console.log(`Weft listening on ${service.url}`);
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

main().catch((error: unknown) => {
  console.error(error instanceof Error ? `Weft could not start: ${error.message}` : error);
  process.exitCode = 1;
});

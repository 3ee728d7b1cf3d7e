import { adviceOn, testedNode } from './node-version.ts';
import { startService } from './service.ts';
import { readSettings } from './settings.ts';

async function serveUntilStopped(): Promise<void> {
  const advice = adviceOn(process.versions.node, testedNode());
  if (advice !== undefined) console.error(advice);
  const service = await startService(readSettings(process.env), {
    onLost: (reason) => {
      console.error(`${reason}. What the disk holds is unknown, so Weft ends; start it again.`);
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

/** Runs the whole service in this process, durable under WEFT_DATA, until SIGTERM or SIGINT. Prints why it cannot start. */
export async function main(): Promise<void> {
  await serveUntilStopped().catch((error: unknown) => {
    console.error(error instanceof Error ? `Weft could not start: ${error.message}` : error);
    process.exitCode = 1;
  });
}

import { summaryText } from '../../lib/adapters/local/database/data-summary.ts';
import { prepareConsole } from '../console/build.ts';
import { adviceOn, testedNode } from './node-version.ts';
import { startService } from './service.ts';
import { readSettings } from './settings.ts';

async function serveUntilStopped(): Promise<void> {
  const advice = adviceOn(process.versions.node, testedNode());
  if (advice !== undefined) console.error(advice);
  // The service works without its console.
  await prepareConsole().catch((error: unknown) => console.error('the console could not be built:', error));
  const service = await startService(readSettings(process.env), {
    onLost: (reason) => {
      console.error(`${reason}. The state of the disk is unknown, so Weft stops; start it again.`);
      process.exit(1);
    },
  });
  console.log(`Weft listening on ${service.url}`);
  console.log(`Console: ${service.url}/ui`);
  console.log(`Key: ${service.key}`);
  console.log(`Try: curl -H 'Service-Api-Key: ${service.key}' ${service.url}/api/version`);
  if (service.summary !== undefined) console.log(`Data: ${summaryText(service.summary, Date.now())}`);
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await service.close();
    process.exitCode = 0;
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/**
 * Runs the service in this process, with its data in WEFT_DATA, until SIGTERM or SIGINT. If it cannot start, it prints the
 * reason and sets the exit code 1.
 */
export async function main(): Promise<void> {
  await serveUntilStopped().catch((error: unknown) => {
    console.error(error instanceof Error ? `Weft could not start: ${error.message}` : error);
    process.exitCode = 1;
  });
}

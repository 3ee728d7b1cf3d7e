import { summaryText } from '../../lib/adapters/local/database/data-summary.ts';
import { prepareConsole } from '../console/preparation.ts';
import { adviceOn, testedNode } from './node-version.ts';
import { startService } from './service.ts';
import { readSettings } from './settings.ts';

/** Whether the console is built. The service works without it. */
async function isConsoleReady(): Promise<boolean> {
  try {
    await prepareConsole();
    return true;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    console.error(`Weft starts without its console, which cannot be built: ${reason}`);
    return false;
  }
}

async function serveUntilStopped(): Promise<void> {
  const advice = adviceOn(process.versions.node, testedNode());
  if (advice !== undefined) console.error(advice);
  const hasConsole = await isConsoleReady();
  const service = await startService(readSettings(process.env), {
    onLost: (reason) => {
      console.error(`${reason}. The state of the disk is unknown, so Weft stops; start it again.`);
      process.exit(1);
    },
  });
  console.log(`Weft listening on ${service.url}`);
  if (hasConsole) console.log(`Console: ${service.url}/ui`);
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

import { join } from 'node:path';
import { summaryText } from '../../lib/adapters/local/database/data-summary.ts';
import { LOCAL_KEY_FILE } from '../../lib/adapters/local/vault.ts';
import { isConsoleReady } from './access/console.ts';
import { logAsJson } from './log-format.ts';
import { adviceOn, testedNode } from './node-version.ts';
import { type Service, startService } from './service.ts';
import { type LocalSettings, readSettings } from './settings.ts';
import { stopper } from './stopping.ts';

interface KeyText {
  readonly key: string;
  /** The key as an argument of a shell. */
  readonly argument: string;
}

/** How the key is shown: a generated key itself, once; later only where it is. */
function keyTextOf({ apiKey, data = '' }: LocalSettings, newKey: string | undefined): KeyText {
  if (newKey !== undefined) return { key: newKey, argument: `'Service-Api-Key: ${newKey}'` };
  if (apiKey !== undefined) return { key: 'the value of APIKEY', argument: '"Service-Api-Key: $APIKEY"' };
  const file = join(data, LOCAL_KEY_FILE);
  return { key: `in the file ${file}`, argument: `"Service-Api-Key: $(cat '${file}')"` };
}

/** Supervisors kill a process 10 s after SIGTERM. */
const STOP_MS = 9000;

/** Follows the repositories of a service; the function that it returns stops that. */
export type Follow = (service: Service) => Promise<() => Promise<void>>;

/** Begins to follow what the settings name. Returns what closes the service after that. */
async function followed(service: Service, follow: Follow): Promise<() => Promise<void>> {
  if (service.followed.length === 0) return service.close;
  try {
    const stopFollowing = await follow(service);
    for (const { settings } of service.followed) console.log(`Follows: ${settings.namespace} ${settings.url}`);
    return async () => {
      await stopFollowing();
      await service.close();
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function serveUntilStopped(follow: Follow): Promise<void> {
  const settings = readSettings(process.env);
  if (settings.log === 'json') logAsJson();
  const advice = adviceOn(process.versions.node, testedNode());
  if (advice !== undefined) console.error(advice);
  const hasConsole = await isConsoleReady();
  let newKey: string | undefined;
  const service = await startService(settings, {
    onNewKey: (key) => {
      newKey = key;
    },
    onLost: (reason) => {
      console.error(reason);
      process.exit(1);
    },
  });
  console.log(`Weft listening on ${service.url}`);
  if (hasConsole) console.log(`Console: ${service.url}/ui`);
  const { key, argument } = keyTextOf(settings, newKey);
  console.log(`Key: ${key}`);
  console.log(`Try: curl -H ${argument} ${service.url}/api/version`);
  if (service.summary !== undefined) console.log(`Data: ${summaryText(service.summary, Date.now())}`);
  const close = await followed(service, follow);
  const stop = stopper({ close, exit: process.exit, patience: STOP_MS });
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/**
 * Runs the service in this process, with its data in WEFT_DATA, until SIGTERM or SIGINT. If it cannot start, it prints the
 * reason and sets the exit code 1. `follow` is called if namespaces follow repositories.
 */
export async function main(follow: Follow): Promise<void> {
  await serveUntilStopped(follow).catch((error: unknown) => {
    console.error(error instanceof Error ? `Weft could not start: ${error.message}` : error);
    process.exitCode = 1;
  });
}

import { createServer } from 'node:net';
import { isConsoleReady } from './access/console.ts';
import { type Service, startService } from './service.ts';
import { readSettings } from './settings.ts';

const HOST = '127.0.0.1';

/** Whether a port of the loopback address is free. */
function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, HOST, () => probe.close(() => resolve(true)));
  });
}

/** The service of `weft dev`. */
export interface DevService extends Service {
  readonly hasConsole: boolean;
}

/**
 * Starts the service for one developer: on loopback only, with its data in the folder unless WEFT_DATA names another, and
 * at any free port if the default one is taken and PORT names none. Throws Error with a message for the user.
 */
export async function startDevService(
  env: Readonly<Record<string, string | undefined>>,
  data: string,
): Promise<DevService> {
  // The folder is what a developer's namespace follows.
  const settings = readSettings({ ...env, HOST, WEFT_FOLLOW: '', WEFT_DATA: env['WEFT_DATA'] || data });
  const port = env['PORT'] || (await isFree(settings.port)) ? settings.port : 0;
  const hasConsole = await isConsoleReady();
  const onLost = (reason: string) => {
    console.error(reason);
    process.exit(1);
  };
  return { ...(await startService({ ...settings, port }, { onLost })), hasConsole };
}

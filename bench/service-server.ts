/** The program of the measured service, with its data in the folder WEFT_DATA. */
import { type Service, startService } from '../bin/server/service.ts';
import { readSettings } from '../bin/server/settings.ts';
import { executeAndWait } from '../lib/engine/requests/start/start.ts';
import { KEY } from './clients/client.ts';
import { type Order, reportToParent } from './measured-process.ts';

/** One of this number of filled runs fails. */
const FAILING = 100;
const AT_A_TIME = 32;

/** Starts `count` runs and waits for their end, as requests do, but without HTTP. */
async function fill({ ports }: Service, count: number): Promise<void> {
  const input = Buffer.from('{}');
  for (let from = 0; from < count; from += AT_A_TIME) {
    const numbers = Array.from({ length: Math.min(AT_A_TIME, count - from) }, (_, index) => from + index);
    const start = (n: number) => {
      const path = n % FAILING === 0 ? '/failing' : '/noop';
      return executeAndWait(ports, { namespace: 'bench', path, ref: '', input });
    };
    await Promise.all(numbers.map(start));
    // Lets the disk flush and other requests run, as they do between two requests.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

// A workload may have more runs than a namespace may have by default.
const limits = { WEFT_MAX_ACTIVE_RUNS: '1000000000' };
const service = await startService({ ...readSettings({ ...process.env, ...limits, APIKEY: KEY }), port: 0 });

async function work({ work: name, count = 0 }: Order): Promise<void> {
  if (name === 'finish') await service.idle();
  if (name === 'fill') await fill(service, count);
}

reportToParent(service.url, () => service.close(), work);

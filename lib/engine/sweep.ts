import * as instances from '../domain/instances.ts';
import * as keys from '../domain/keys.ts';
import * as namespaces from '../domain/namespaces.ts';
import { readAll } from '../domain/namespaces.ts';
import * as purges from '../domain/purges.ts';
import * as runs from '../domain/runs.ts';
import type { EnginePorts } from './draft.ts';
import { repair } from './repair.ts';

/** Makes up for what was cut short: purges that did not finish, runs that were stored and never started or got lost. */
export async function sweep(ports: EnginePorts): Promise<void> {
  await purges.finishAll(ports);
  for (const item of await readAll(ports.table, keys.NAMESPACES)) {
    for await (const head of instances.pendingOf(ports, namespaces.fromItem(item))) {
      const run = await runs.find(ports, head.id);
      if (run !== undefined) await repair(ports, run);
    }
  }
}

/**
 * A separate process for the kill test: `node bus-process.ts <folder> <first> <count>`. It resumes the messages of the
 * folder, publishes messages, every third of them delayed, and prints a line of JSON for each accepted and each
 * delivered one. Before that line, it records a delivered message in a file.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { localBus } from '../../../../lib/adapters/local/bus.ts';
import { LocalDatabase } from '../../../../lib/adapters/local/database/database.ts';
import { systemClock } from '../../../../lib/adapters/portable/clock.ts';
import type { Message } from '../../../../lib/ports/bus.ts';

const [folder = '', first = '0', count = '0'] = process.argv.slice(2);
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const clock = systemClock();
const messageOf = (id: string): Message => ({
  namespaceId: 'n1',
  namespace: 'orders',
  record: { pk: id, sk: 'e' },
  id,
  type: 'made',
  source: '/test',
});

const database = new LocalDatabase({ file: join(folder, 'bus.sqlite') });
const bus = localBus({
  database,
  clock,
  deliver: async ({ id }) => {
    await sleep(5);
    appendFileSync(join(folder, 'taken.txt'), `${id}\n`);
    tell({ taken: id });
  },
});

tell({ resumed: await bus.resume() });
for (let index = 0; index < Number(count); index++) {
  const id = `m${Number(first) + index}`;
  if (index % 3 === 0) await bus.publishAt(clock.now() + 300, id, messageOf(id));
  else await bus.publish([messageOf(id)]);
  tell({ accepted: id });
}
await sleep(400);
await bus.idle();
await bus.close();
await database.close();
tell({ ended: true });

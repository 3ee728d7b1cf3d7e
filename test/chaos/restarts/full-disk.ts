import { setTimeout } from 'node:timers/promises';
import { mountSmallDisk } from '../../adapters/local/database/small-disk.ts';
import { apiOf } from '../../durability/api.ts';
import { acknowledgedIn } from '../../durability/ledger.ts';
import type { Running } from '../../durability/process.ts';
import type { Scene, Signal, Trouble } from './scene.ts';

const MEGABYTES = 192;
const LONGEST_MS = 20_000;

/** A machine where this trouble cannot be made; the message is the reason. */
export class Untried extends Error {
  override readonly name = 'Untried';
}

/** Requests to a full service, and the status of their replies. */
const REQUESTS = [
  ['GET', '/vars/kept', 200],
  ['GET', '/instances', 200],
  ['DELETE', '/vars/kept', 200],
  ['GET', '/vars/kept', 404],
  ['PUT', '/vars/new', 503],
] as const;

async function answersWhileFull(running: Running): Promise<string[]> {
  const api = apiOf(running, 'other');
  const failures: string[] = [];
  for (const [method, path, wanted] of REQUESTS) {
    const { status } = await api.call(method, path, method === 'PUT' ? { body: 'x' } : {});
    if (status !== wanted) failures.push(`${method} ${path} got ${status}, not ${wanted}`);
  }
  return failures;
}

async function writesAgain(running: Running): Promise<string[]> {
  const api = apiOf(running, 'other');
  for (let waited = 0; waited < LONGEST_MS; waited += 100) {
    if ((await api.call('PUT', '/vars/new', { body: 'x' })).status === 200) return [];
    await setTimeout(100);
  }
  return ['the service accepts no writes although the disk has room'];
}

async function disturb(scene: Scene, signal: Signal, data: string, disk: { fillUp(): void; free(): void }) {
  const first = await scene.start(data);
  const other = apiOf(first, 'other');
  await other.call('PUT', '');
  await other.call('PUT', '/vars/kept', { body: 'x' });
  const ledger = await scene.load(first, 'before', () => scene.stop(first, signal));
  scene.acknowledged += acknowledgedIn(ledger);
  disk.fillUp();
  const running = await scene.start(data).catch(() => undefined);
  if (running === undefined) return ['the service did not start on the full disk'];
  const failures = await answersWhileFull(running);
  disk.free();
  return [...failures, ...(await writesAgain(running)), ...(await scene.damage(running, ledger))];
}

/** The service starts on a full disk, serves reads and deletions, and loses nothing. Throws Untried. */
export const fullAtStart =
  (signal: Signal): Trouble =>
  async (scene) => {
    const disk = mountSmallDisk(MEGABYTES);
    if (typeof disk === 'string') throw new Untried(disk);
    try {
      return await disturb(scene, signal, `${disk.folder}/data`, disk);
    } finally {
      await scene.end();
      disk.remove();
    }
  };

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Ledger } from '../../durability/ledger.ts';
import { acknowledgedIn } from '../../durability/ledger.ts';
import type { Running } from '../../durability/process.ts';
import { destroyPages, flipBit, usedBytes } from './bytes.ts';
import { fullAtStart } from './full-disk.ts';
import type { Scene, Signal, Trouble } from './scene.ts';

const DATABASE = 'weft.db';
const LONGEST_END_MS = 10_000;

/** Runs a service under load, and ends it by the signal. */
async function loadThenStop(scene: Scene, signal: Signal): Promise<Ledger> {
  const running = await scene.start();
  const ledger = await scene.load(running, 'before', () => scene.stop(running, signal));
  scene.acknowledged += acknowledgedIn(ledger);
  return ledger;
}

/** After the clock was set back by `back` ms, the service has everything, and works as before. */
const clockSetBack =
  (back: number, signal: Signal): Trouble =>
  async (scene) => {
    const before = await loadThenStop(scene, signal);
    const running = await scene.start(undefined, -back);
    const after = await scene.load(running, 'after');
    scene.acknowledged += acknowledgedIn(after);
    return [...(await scene.damage(running, before)), ...(await scene.damage(running, after))];
  };

/** The service notices that its folder was removed, says so and ends. */
const folderRemoved: Trouble = async (scene) => {
  const running = await scene.start();
  let code: number | string | null = null;
  await scene.load(running, 'before', async () => {
    rmSync(scene.at('data'), { recursive: true, maxRetries: 5 });
    code = await scene.exitCode(LONGEST_END_MS);
  });
  return [
    ...(code === 1 ? [] : [`the service ended with ${code}`]),
    ...(scene.log.includes('was removed while it was in use') ? [] : ['no line says that the folder was removed']),
  ];
};

/** A backup of a service that has stored everything of a load. */
async function backUp(scene: Scene): Promise<{ readonly ledger: Ledger; readonly file: string }> {
  const running = await scene.start();
  const ledger = await scene.load(running, 'before');
  scene.acknowledged += acknowledgedIn(ledger);
  const file = scene.at('backup');
  const { code, text } = await scene.weft('backup', file, '--data', scene.at('data')).ended;
  if (code !== 0) throw new Error(`weft backup ended with ${code}: ${text}`);
  await scene.stop(running, 'SIGTERM');
  return { ledger, file };
}

/** The service does not open a folder whose restore was killed; a repeated restore has everything. */
const restoreKilled: Trouble = async (scene) => {
  const { ledger, file } = await backUp(scene);
  const data = scene.at('restored');
  const failures: string[] = [];
  const command = scene.weft('restore', file, '--data', data);
  let isOver = false;
  void command.ended.then(() => {
    isOver = true;
  });
  while (!isOver && !existsSync(join(data, `${DATABASE}.part`))) await setImmediate();
  command.kill();
  await command.ended;
  if (existsSync(join(data, `${DATABASE}.part`))) {
    const isOpened = await scene.start(data).then(
      () => true,
      () => false,
    );
    await scene.end();
    if (isOpened) failures.push('the service opened a folder whose restore did not end');
    if (!scene.log.includes('is of a restore that did not end')) failures.push('no line names the restore');
  }
  if (!existsSync(join(data, DATABASE))) {
    const { code, text } = await scene.weft('restore', file, '--data', data).ended;
    if (code !== 0) failures.push(`the repeated restore ended with ${code}: ${text}`);
  }
  return [...failures, ...(await scene.damage(await scene.start(data), ledger))];
};

/** A backup with a flipped bit is not restored, and `--verify` finds it. */
const backupFlipped: Trouble = async (scene) => {
  const { file } = await backUp(scene);
  flipBit(file, scene.random);
  const verified = await scene.weft('backup', '--verify', file).ended;
  const restored = await scene.weft('restore', file, '--data', scene.at('restored')).ended;
  return [
    ...(verified.code === 0 ? ['weft backup --verify found nothing'] : []),
    ...(restored.code === 0 ? ['the damaged backup was restored'] : []),
  ];
};

const isTold = ({ log }: Scene): boolean => /is damaged \(|has lost data: \d+ commits? /.test(log);

/** What is wrong with a namespace; undefined when the service ended meanwhile. */
async function damageUnlessEnded(scene: Scene, running: Running, ledger: Ledger): Promise<string[] | undefined> {
  return scene.damage(running, ledger).catch((error: unknown) => {
    if (error instanceof TypeError) return undefined;
    throw error;
  });
}

/** The service says what the damage is and ends, or says how much is missing and goes on, or has everything. */
const filesDamaged =
  (signal: Signal, damage: (scene: Scene) => void): Trouble =>
  async (scene) => {
    const ledger = await loadThenStop(scene, signal);
    damage(scene);
    const running = await scene.start().catch(() => undefined);
    const silent = ['the service ended, and no line says that its data is damaged'];
    if (running === undefined) return isTold(scene) ? [] : silent;
    if (isTold(scene)) {
      await scene.stop(running, 'SIGTERM');
      return scene.audit();
    }
    return (await damageUnlessEnded(scene, running, ledger)) ?? (isTold(scene) ? [] : silent);
  };

const flipInLog = (scene: Scene): void => {
  const log = scene.at(`data/${DATABASE}-wal`);
  flipBit(log, scene.random, usedBytes(log));
};

const SECOND_MS = 1000;
const CLOCKS = { '20 s': 20 * SECOND_MS, '2 min': 120 * SECOND_MS, '1 h': 3600 * SECOND_MS };
const SIGNALS: readonly Signal[] = ['SIGTERM', 'SIGKILL'];

const clockRows = Object.entries(CLOCKS).flatMap(([text, back]) =>
  SIGNALS.map((signal) => [`clock -${text} after ${signal}`, clockSetBack(back, signal)] as const),
);

/** Every trouble, by its name. */
export const TROUBLES: Readonly<Record<string, Trouble>> = {
  ...Object.fromEntries(clockRows),
  'folder removed': folderRemoved,
  'restore killed': restoreKilled,
  'database damaged': filesDamaged('SIGTERM', (scene) => destroyPages(scene.at(`data/${DATABASE}`), scene.random)),
  'log flipped': filesDamaged('SIGKILL', flipInLog),
  'log removed': filesDamaged('SIGKILL', (scene) => rmSync(scene.at(`data/${DATABASE}-wal`))),
  'backup flipped': backupFlipped,
  ...Object.fromEntries(SIGNALS.map((signal) => [`disk full at start after ${signal}`, fullAtStart(signal)])),
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from '../../durability/random.ts';
import type { ModeOptions, Verdict } from '../modes.ts';
import { Untried } from './full-disk.ts';
import { Scene, type Trouble } from './scene.ts';
import { TROUBLES } from './troubles.ts';

interface Tried {
  readonly failures: readonly string[];
  readonly text: string;
}

async function attempt(trouble: Trouble, scene: Scene): Promise<Tried> {
  try {
    const failures = await trouble(scene);
    return { failures, text: `${scene.acknowledged} acknowledged, ${failures.length} wrong` };
  } catch (error) {
    if (error instanceof Untried) return { failures: [], text: `not tried: ${error.message}` };
    const text = error instanceof Error ? error.message : String(error);
    return { failures: [`the round broke off: ${text}`], text: 'broken off' };
  } finally {
    await scene.end();
  }
}

/** Each round has another trouble, in a folder of its own: what can happen to data while the service does not run. */
export async function restarts({ rounds, seed, only, print }: ModeOptions): Promise<Verdict> {
  const names = Object.keys(TROUBLES).filter((name) => only === undefined || only.includes(name));
  if (names.length === 0) throw new Error(`--only names none of: ${Object.keys(TROUBLES).join(', ')}`);
  const failures: string[] = [];
  let passed = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const name = names[(round - 1) % names.length] as string;
    const folder = mkdtempSync(join(tmpdir(), 'weft-restart-'));
    const found = await attempt(TROUBLES[name] as Trouble, new Scene(folder, randomFrom(seed * 1000 + round)));
    print(`${name}: ${found.text}`);
    failures.push(...found.failures.map((failure) => `round ${round}, ${name}: ${failure}`));
    // A folder with damage stays for its examination.
    if (found.failures.length > 0) print(`the data and the log of the service are kept in ${folder}`);
    else {
      passed += 1;
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { passed, failures };
}

import { CROWDS, tryCrowd } from '../engine/admission/crowds/crowd.ts';
import { openDatabase } from '../engine/world/engine-world.ts';
import type { ModeOptions, Verdict } from './modes.ts';

const STARTS = 1000;

/** Starts 1,000 runs at once under each kind of limit, in simulated processes that crash; a round has a seed of its own. */
export async function crowds({ rounds, seed, only, print }: ModeOptions): Promise<Verdict> {
  const database = await openDatabase();
  const failures: string[] = [];
  let passed = 0;
  const { error } = console;
  // Crashed processes report the work that failed.
  console.error = () => undefined;
  try {
    for (const crowd of CROWDS.filter(({ name }) => only?.includes(name) ?? true)) {
      const [began, all] = [performance.now(), { kills: 0, most: 0, wrong: 0 }];
      for (let round = 0; round < rounds; round += 1) {
        const { kills, most, wrong } = await tryCrowd(database, crowd, { starts: STARTS, seed: seed + round });
        all.kills += kills;
        all.most = Math.max(all.most, most);
        all.wrong += wrong.length;
        if (wrong.length === 0) passed += 1;
        else failures.push(`${crowd.name}, seed ${seed + round}: ${wrong.slice(0, 5).join('; ')}`);
      }
      const seconds = ((performance.now() - began) / 1000 / rounds).toFixed(1);
      print(
        `${crowd.name}: ${all.kills} crashes, at most ${all.most} at work, ${all.wrong} wrong, ${seconds} s a round`,
      );
    }
  } finally {
    console.error = error;
    await database.close();
  }
  return { passed, failures };
}

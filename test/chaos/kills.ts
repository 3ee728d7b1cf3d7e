import { runRounds } from '../durability/rounds.ts';
import { damageLines, damageText } from '../durability/verification.ts';
import type { ModeOptions, Verdict } from './modes.ts';

const PROGRESS = 10;

/** Kills the service under load, and cuts the power of a copy, again and again. */
export async function kills({ rounds, seed, print }: ModeOptions): Promise<Verdict> {
  const began = performance.now();
  const figures = await runRounds({
    ...{ rounds, seed },
    onRound: (round, soFar) => {
      if (round % PROGRESS !== 0 && round !== rounds) return;
      const seconds = ((performance.now() - began) / 1000 / round).toFixed(1);
      print(`round ${round}, ${seconds} s a round, ${soFar.acknowledged} acknowledged writes: ${damageText(soFar)}`);
    },
  });
  const failures = damageLines(figures);
  return { passed: Math.max(rounds - failures.length, 0), failures };
}

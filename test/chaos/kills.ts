import { runRounds } from '../durability/rounds.ts';
import type { ModeOptions, Verdict } from './modes.ts';

const PROGRESS = 10;

/** Kills the service under load, and cuts the power of a copy, again and again. */
export async function kills({ rounds, seed, print }: ModeOptions): Promise<Verdict> {
  const figures = await runRounds({
    ...{ rounds, seed },
    onRound: (round, { lost, partial, stalled }) => {
      if (round % PROGRESS === 0)
        print(`round ${round}: ${stalled.length} stuck, ${lost.length} lost, ${partial.length} partial`);
    },
  });
  const failures = (['lost', 'partial', 'stalled'] as const).flatMap((kind) =>
    figures[kind].map((what) => `${kind}: ${what}`),
  );
  return { passed: Math.max(rounds - failures.length, 0), failures };
}

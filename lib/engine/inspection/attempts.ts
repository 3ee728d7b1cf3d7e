import * as runs from '../../domain/runs/runs.ts';
import type { WaitingCall } from '../../domain/runs/waits.ts';
import type { Ports } from '../../ports/ports.ts';
import { childId } from '../run/child-ids.ts';
import { decideRetry } from '../run/retry-decisions.ts';

type Needs = Pick<Ports, 'table' | 'blobs' | 'settings'>;

/** The newest attempt of a call, and its child; undefined before it has begun. */
export interface Attempt {
  readonly key: WaitingCall;
  readonly child: runs.Run | undefined;
}

/**
 * Finds the newest attempts of the calls that a run waits for. The run stores the attempt with which the machine began to
 * wait; the machine repeats a call by itself, so that later attempts are known by their children alone.
 */
export async function newestAttempts(
  ports: Needs,
  { run, origin }: { readonly run: runs.Run; readonly origin: number },
  calls: readonly WaitingCall[],
): Promise<readonly Attempt[]> {
  const read = async (keys: readonly WaitingCall[]): Promise<Attempt[]> => {
    const children = await runs.findMany(
      ports,
      keys.map((key) => childId(run, origin, key)),
    );
    return keys.map((key, index) => ({ key, child: children[index] }));
  };
  const isRepeated = ({ key, child }: Attempt): boolean =>
    child !== undefined &&
    child.status !== 'pending' &&
    child.status !== 'complete' &&
    decideRetry(child, child.parent?.retries, key.k, ports.settings.brand).kind === 'retry';
  const newest = new Map((await read(calls)).map((attempt) => [attempt.key.i, attempt]));
  let repeated = [...newest.values()].filter(isRepeated);
  while (repeated.length > 0) {
    const later = await read(repeated.map(({ key: { i, k } }) => ({ i, k: k + 1 })));
    const begun = later.filter(({ child }) => child !== undefined);
    for (const attempt of begun) newest.set(attempt.key.i, attempt);
    repeated = begun.filter(isRepeated);
  }
  return calls.map((key) => newest.get(key.i) ?? { key, child: undefined });
}

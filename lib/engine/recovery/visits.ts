import * as namespaces from '../../domain/namespaces/namespaces.ts';
import { putAt } from '../../domain/storage/batches.ts';
import * as keys from '../../domain/storage/keys.ts';
import { readAll } from '../../domain/storage/queries.ts';
import type { CleanupPorts } from '../ports.ts';

/** How many namespaces are visited side by side. */
const CONCURRENCY = 8;

/**
 * Does the work for each of the items, `concurrency` of them side by side, in their order. An error with one item does not
 * stop the others: the first error is thrown in the end.
 */
export async function forEachOf<T>(
  all: readonly T[],
  concurrency: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const rest = all.values();
  const faults: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const one of rest) await work(one).catch((fault: unknown) => void faults.push(fault));
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, worker));
  if (faults.length > 0) throw faults[0];
}

/** A pass over all namespaces. */
interface Visit {
  /** The name of the pass, which continues the last one of the same name. */
  readonly name: keys.PassName;
  /** The time at which the pass stops, milliseconds since 1970; absent: it has no end. */
  readonly until?: number | undefined;
}

/**
 * Does the work for all namespaces, some of them side by side, until the pass ends; the next pass of that name begins with
 * the first namespace that this one did not visit. So no namespace is left out, whatever the number and size of the others.
 * The work gets each namespace as it was read at the time `readAt`, before the first one was visited.
 */
export async function visitNamespaces(
  ports: Pick<CleanupPorts, 'table' | 'clock'>,
  { name, until = Number.POSITIVE_INFINITY }: Visit,
  work: (namespace: namespaces.Namespace, readAt: number) => Promise<void>,
): Promise<void> {
  const readAt = ports.clock.now();
  const all = (await readAll(ports.table, keys.NAMESPACES)).map(namespaces.fromItem);
  const [stored] = await ports.table.get([keys.passCursor(name)]);
  const first = String(stored?.['first'] ?? '');
  const turn = [...all.filter((one) => one.name >= first), ...all.filter((one) => one.name < first)];
  let unvisited: string | undefined;
  try {
    await forEachOf(turn, CONCURRENCY, async (namespace) => {
      if (ports.clock.now() >= until) unvisited ??= namespace.name;
      else await work(namespace, readAt);
    });
  } finally {
    const next = unvisited ?? '';
    if (next !== first) await ports.table.write([putAt(keys.passCursor(name), { first: next })]);
  }
}

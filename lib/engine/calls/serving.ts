import * as runs from '../../domain/runs/runs.ts';
import type { Table } from '../../ports/table.ts';
import { readFiles } from '../containers/files.ts';
import { serveContainer } from '../containers/serving.ts';
import { serveNative } from '../native/serving.ts';
import type { RunnerPorts } from '../ports.ts';

/** The calls under way in this process, by the table of their runs: a call that is asked for twice is made once. */
const underway = new WeakMap<Table, Map<string, Promise<runs.Run>>>();

/**
 * Calls the container, or the native function, of a pending child and commits the result. Returns the child as it ended, or
 * pending if the call did not end in time; the caller delivers what that end owes. `isAwaited`: a caller's task waits for the
 * result. It may be repeated after an interruption; it then calls the container again.
 */
export function serve(ports: RunnerPorts, child: runs.Run, isAwaited: boolean): Promise<runs.Run> {
  const { id } = child;
  if (child.status !== 'pending') return Promise.resolve(child);
  const calls = underway.get(ports.table) ?? new Map<string, Promise<runs.Run>>();
  underway.set(ports.table, calls);
  const known = calls.get(id);
  if (known !== undefined) return known;
  const made = serveOnce(ports, child, isAwaited);
  const serving = made.finally(() => calls.delete(id));
  calls.set(id, serving);
  return serving;
}

function serveOnce(ports: RunnerPorts, child: runs.Run, isAwaited: boolean): Promise<runs.Run> {
  if (runs.isContainerCall(child)) return serveContainer(ports, child, isAwaited);
  if (!runs.isNativeCall(child)) return Promise.resolve(child);
  return serveNative(ports, child, { isAwaited, readFiles: (mostBytes) => readFiles(ports, child, mostBytes) });
}

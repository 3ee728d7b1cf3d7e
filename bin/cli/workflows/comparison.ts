import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailedError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { readDesiredState, unpack } from '../transfer/archive-reader.ts';
import { openArchiveWriter } from '../transfer/archive-writer.ts';
import type { DesiredState } from '../transfer/desired-state.ts';
import { exportNamespace } from '../transfer/export.ts';
import { makePlan, type PlanItem } from '../transfer/plan.ts';
import { hasNamespace, type Remote } from '../transfer/remote.ts';
import { surplusOf } from './pruning.ts';

/** The changes that would bring a namespace into the state of another one. */
export interface Comparison {
  readonly plan: readonly PlanItem[];
  /** Workflows that only the target has. */
  readonly onlyInTarget: readonly string[];
}

async function exported(source: Remote, folder: string): Promise<DesiredState> {
  const file = join(folder, 'namespace.tar.gz');
  const archive = await openArchiveWriter(file);
  try {
    const about = { exportedAt: new Date().toISOString(), notes: [] };
    await exportNamespace({ remote: source, archive, onExported: () => {} }, about);
    await archive.end();
  } catch (error) {
    await archive.discard();
    throw error;
  }
  const unpacked = await mkdtemp(join(folder, 'unpacked-'));
  return readDesiredState(unpacked, await unpack(file, unpacked));
}

/** The state without the parts that differ between environments: settings, secrets, registries and services. */
const promotable = (desired: DesiredState): DesiredState => ({
  variables: [],
  directories: desired.directories,
  workflows: desired.workflows,
});

/**
 * Compares two namespaces, and calls `use` while the files of the comparison exist. Only workflows with their revisions,
 * tags, routers, switches and variables are compared. Throws CommandFailedError, ServiceUnreachableError.
 */
export async function withComparison<T>(
  source: Remote,
  target: Remote,
  { cwd }: Pick<Terminal, 'cwd'>,
  use: (comparison: Comparison) => Promise<T>,
): Promise<T> {
  if (!(await hasNamespace(source))) {
    throw new CommandFailedError(`no namespace '${source.namespace}' at ${source.service.url}`, 404);
  }
  const folder = await mkdtemp(join(tmpdir(), 'weft-compare-'));
  try {
    const desired = promotable(await exported(source, folder));
    const plan = await makePlan({ remote: target, desired, cwd, skipsValidation: true });
    return await use({ plan, onlyInTarget: await surplusOf(target, desired, '') });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

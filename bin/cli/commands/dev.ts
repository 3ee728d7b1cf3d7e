import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { namespacePath, type Service, serviceAt } from '../client/service.ts';
import { findFolderConfig } from '../client/target.ts';
import { changedFiles, takeSnapshot } from '../dev/changes.ts';
import { type Cycle, runCycle } from '../dev/cycle.ts';
import { changeLine, followRuns } from '../dev/runs.ts';
import {
  CommandFailedError,
  defineCommand,
  importOrExplain,
  needArguments,
  ServiceUnreachableError,
  success,
  UsageError,
  type ValuesOf,
} from '../shell/command.ts';
import { unreadable } from '../shell/files.ts';
import { paint, type Terminal } from '../shell/terminal.ts';
import { watchChanges } from '../shell/watching.ts';
import { patienceOf } from '../testing/options.ts';
import { push } from '../workflows/pushing.ts';

const DEFAULT_NAMESPACE = 'dev';

const OPTIONS = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAME',
    help: `namespace, which is created (default: .weft.yaml, else ${DEFAULT_NAMESPACE})`,
  },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

async function needFolder(name: string, { cwd }: Terminal): Promise<string> {
  const folder = resolve(cwd, name);
  const found = await stat(folder).catch((error: unknown) => {
    throw unreadable(name, error);
  });
  if (!found.isDirectory()) throw new UsageError(`'${name}' is a file; give its folder`);
  return folder;
}

/** Starts the service. Throws UsageError and CommandFailedError with the reason why it cannot start. */
async function startService({ env }: Terminal, folder: string) {
  const { startDevService } = await importOrExplain(() => import('../../server/dev.ts'));
  return startDevService(env, join(folder, '.weft')).catch((error: unknown) => {
    throw new CommandFailedError(`the service could not start: ${error instanceof Error ? error.message : error}`);
  });
}

async function namespaceOf({ namespace }: Values, folder: string): Promise<string> {
  const [first] = (await findFolderConfig(folder))?.profiles ?? [];
  return namespace ?? first?.profile.namespace ?? DEFAULT_NAMESPACE;
}

const EXISTS = 409;

async function createNamespace(service: Service, name: string): Promise<void> {
  await service.call('PUT', namespacePath(name)).catch((error: unknown) => {
    if (!(error instanceof CommandFailedError) || error.status !== EXISTS) throw error;
  });
}

const isExpected = (error: unknown): error is Error =>
  error instanceof CommandFailedError || error instanceof ServiceUnreachableError || error instanceof UsageError;

/** Repeats the pass over the folder after each change, until Ctrl-C. A pass that fails is repeated with the next change. */
async function repeatCycle(cycle: Omit<Cycle, 'changed'>): Promise<void> {
  const { terminal } = cycle;
  const folder = terminal.cwd;
  const changes = await watchChanges(folder, terminal.signal);
  const print = async (lines: readonly string[]) => {
    if (lines.length > 0) await terminal.print(`${lines.join('\n')}\n`);
  };
  let before = await takeSnapshot(folder);
  for (let changed: ReadonlySet<string> | undefined; ; ) {
    try {
      await runCycle({ ...cycle, changed }, print);
      terminal.printStatus(paint(terminal, 'grey', 'watching for changes …'));
    } catch (error) {
      if (terminal.signal.aborted || !isExpected(error)) throw error;
      terminal.printStatus(paint(terminal, 'red', `weft: ${error.message}`));
    }
    do {
      if ((await changes.next()).done) return;
      const after = await takeSnapshot(folder);
      changed = changedFiles(before, after);
      before = after;
    } while (changed.size === 0);
  }
}

async function follow(service: Service, namespace: string, terminal: Terminal): Promise<void> {
  const onChange = (change: Parameters<typeof changeLine>[1]) => terminal.print(`${changeLine(terminal, change)}\n`);
  await followRuns(service, namespacePath(namespace), terminal.signal, onChange).catch((error: unknown) => {
    if (terminal.signal.aborted) return;
    terminal.printStatus(`weft: runs are not shown any more: ${error instanceof Error ? error.message : error}`);
  });
}

async function serve(values: Values, folder: string, outer: Terminal): Promise<void> {
  const terminal = { ...outer, cwd: folder };
  const namespace = await namespaceOf(values, folder);
  const { runEmbedded } = await importOrExplain(() => import('../testing/embedded/disturbed-case.ts'));
  const { url, key, signInLink, hasConsole, close } = await startService(outer, folder);
  try {
    const service = serviceAt({ url, key, namespace }, terminal.signal);
    await createNamespace(service, namespace);
    const shown = relative(outer.cwd, folder) || '.';
    await terminal.print(`service    ${url}, namespace ${namespace}, folder ${shown}; Ctrl-C stops it\n`);
    if (hasConsole) await terminal.print(`console    ${signInLink()} (signs in once, within ten minutes)\n`);
    const following = follow(service, namespace, terminal);
    const source = { name: '.', keepsExtension: false };
    const send = async () => (await push({ service, terminal, source, skipsValidation: true })).results;
    const runCase: Cycle['runCase'] = (file, prepared) =>
      runEmbedded(file, prepared, { disturbances: undefined, patience: patienceOf() });
    await repeatCycle({ terminal, send, runCase });
    await following;
  } finally {
    await close();
  }
}

export const dev = defineCommand({
  about: 'Runs a service for one folder: pushes, lints and tests each change, and shows the runs',
  usage: ['dev [FOLDER] [--namespace NAME]'],
  notes: [
    'It serves on this computer alone, at port 8080 or, if that is taken, at another one; PORT names one.',
    'Its data is in FOLDER/.weft, or in WEFT_DATA. Commands in the folder find the service and its key by themselves.',
    'The workflow of a file that is deleted stays in the namespace. docs/local.md describes further settings.',
  ],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('dev', ['[FOLDER]'], args);
    await serve(values, await needFolder(args[0] ?? '.', terminal), terminal);
    return success('');
  },
});

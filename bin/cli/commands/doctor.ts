import { resolve } from 'node:path';
import { openService, type Service } from '../client/service.ts';
import { TARGET_OPTIONS } from '../client/target.ts';
import { writeBundle } from '../doctor/bundle.ts';
import {
  type Check,
  checkDisk,
  checkFolder,
  checkOutside,
  checkPort,
  checkService,
  checkVersions,
} from '../doctor/checks.ts';
import {
  CommandFailedError,
  defineCommand,
  needArguments,
  type Outcome,
  result,
  toTable,
  type ValuesOf,
} from '../shell/command.ts';
import { DATA_OPTION, dataFolderOf } from '../shell/data-folder.ts';
import { paint, type Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  bundle: { type: 'string', value: 'FILE', help: 'write the checks for a question to others, without secrets' },
  reach: {
    type: 'string',
    value: 'URL',
    help: 'the host for the checks of egress and clock (default: https://example.com)',
  },
  ...DATA_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const COLOURS = { ok: 'green', note: 'yellow', wrong: 'red' } as const;

const isOn = (service: Service, check: Check, port: number): boolean =>
  check.state === 'ok' &&
  ['127.0.0.1', 'localhost'].includes(new URL(service.url).hostname) &&
  new URL(service.url).port === String(port);

async function checksOf(values: Values, folder: string, terminal: Terminal): Promise<readonly Check[]> {
  const service = await openService(values, terminal);
  const [reply, outside] = await Promise.all([
    checkService(service),
    checkOutside(values.reach ?? 'https://example.com', Date.now),
  ]);
  const port = terminal.env['PORT'] || '8080';
  return [
    checkVersions(process.versions.node),
    await checkFolder(folder),
    await checkDisk(folder),
    await checkPort(port, (number) => isOn(service, reply, number)),
    reply,
    ...outside,
  ];
}

function textOf(checks: readonly Check[], terminal: Terminal): string {
  const lines = toTable(checks.map(({ name, state, found }) => [state, name, found])).split('\n');
  return checks
    .flatMap(({ state, mend }, index) => {
      const line = (lines[index] ?? '').replace(state, (word) => paint(terminal, COLOURS[state], word));
      return mend === undefined ? [line] : [line, `       ${mend}`];
    })
    .join('\n');
}

async function run(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  needArguments('doctor', [], args);
  const folder = dataFolderOf(values, terminal);
  const checks = await checksOf(values, folder, terminal);
  if (values.bundle !== undefined) {
    await writeBundle(resolve(terminal.cwd, values.bundle), { checks, folder }, terminal).catch((error: unknown) => {
      throw new CommandFailedError(`the bundle was not written: ${error instanceof Error ? error.message : error}`);
    });
  }
  const outcome = result(values, checks, () => textOf(checks, terminal));
  return { ...outcome, isSuccess: checks.every(({ state }) => state !== 'wrong') };
}

export const doctor = defineCommand({
  about: 'Checks this machine: versions, data folder, disk, port, service, egress and clock, with what to do',
  usage: ['doctor [--bundle FILE] [--reach URL] [--data FOLDER]'],
  notes: ['It exits with 1 if something is wrong. A note is no error: it says what does not work as it stands.'],
  options: OPTIONS,
  run,
});

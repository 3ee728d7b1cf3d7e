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
  UsageError,
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
  aws: { type: 'boolean', help: 'check the quotas of an account of AWS instead of this machine' },
  stack: { type: 'string', value: 'NAME', help: 'with --aws: the name of the installation (default: weft)' },
  region: { type: 'string', value: 'REGION', help: 'with --aws: its region (default: AWS_REGION, AWS_DEFAULT_REGION)' },
  ...DATA_OPTION,
  ...TARGET_OPTIONS,
  profile: {
    ...TARGET_OPTIONS.profile,
    help: "profile of 'weft login' (default: WEFT_PROFILE, the last login); with --aws: of AWS",
  },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

const COLOURS = { ok: 'green', note: 'yellow', wrong: 'red' } as const;

const isOn = (service: Service, check: Check, port: number): boolean =>
  check.state === 'ok' &&
  ['127.0.0.1', 'localhost'].includes(new URL(service.url).hostname) &&
  new URL(service.url).port === String(port);

async function checksOfAccount(values: Values, terminal: Terminal): Promise<readonly Check[]> {
  const { checkQuotas } = await import('../doctor/aws/checks.ts');
  return checkQuotas(values, terminal);
}

async function checksOf(values: Values, folder: string, terminal: Terminal): Promise<readonly Check[]> {
  if (values.aws === true) return checksOfAccount(values, terminal);
  const alone = (['stack', 'region'] as const).find((name) => values[name] !== undefined);
  if (alone !== undefined) throw new UsageError(`--${alone} belongs to --aws`);
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
  about:
    'Checks this machine (versions, data folder, disk, port, service, egress, clock) or quotas of AWS, with what to do',
  usage: [
    'doctor [--bundle FILE] [--reach URL] [--data FOLDER]',
    'doctor --aws [--stack NAME] [--region REGION] [--profile NAME] [--bundle FILE]',
  ],
  notes: [
    'It exits with 1 if something is wrong. A note is no error: it says what does not work as it stands.',
    '--aws compares quotas with the use of the last seven days. From 60 % a note has the command that raises a quota, and from 90 %, or where AWS throttled, it is wrong. It needs servicequotas:GetServiceQuota, servicequotas:GetAWSDefaultServiceQuota and cloudwatch:GetMetricData.',
  ],
  options: OPTIONS,
  run,
});

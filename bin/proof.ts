/**
 * `npm run proof -- --profile P --region R`: deploys an installation of its own into the caller's account, tests it there,
 * destroys it and writes a report (docs/deploying.md). With AWS_ENDPOINT_URL, in an emulator.
 */
import { createInterface } from 'node:readline/promises';
import { inspect, parseArgs } from 'node:util';
import { type AwsAccess, emulatorAccess } from '../test/deployed/deployment.ts';
import { accountAccess } from '../test/deployed/proof/account.ts';
import { BUDGET_USD, prove } from '../test/deployed/proof/proof.ts';

const { values: flags } = parseArgs({
  options: {
    profile: { type: 'string' },
    region: { type: 'string', default: process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'] ?? '' },
    name: { type: 'string', default: 'weft-proof' },
    tests: { type: 'string', multiple: true, default: [] },
    check: { type: 'string', multiple: true, default: [] },
    report: { type: 'string', default: 'proof.md' },
    yes: { type: 'boolean', default: false },
  },
});

async function accessOf(): Promise<AwsAccess> {
  const endpoint = process.env['AWS_ENDPOINT_URL'];
  if (endpoint !== undefined) return emulatorAccess(endpoint);
  if (flags.region === '') throw new Error('name a region by --region or AWS_REGION');
  return accountAccess(flags.region, flags.profile);
}

async function mayBegin({ account, region }: AwsAccess): Promise<boolean> {
  console.log(
    `This deploys '${flags.name}' into account ${account}, ${region}, for about two hours, tests it and destroys it. It costs less than ${BUDGET_USD} US dollars.`,
  );
  if (flags.yes) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question('Type the number of the account to begin: ');
  terminal.close();
  return typed.trim() === account;
}

try {
  const access = await accessOf();
  if (!(await mayBegin(access))) throw new Error('nothing was done: the number of the account was not typed');
  const { name, tests, check, report } = flags;
  const { passed, failed } = await prove({ access, name, words: tests, checks: check, report });
  console.log(`the report is ${flags.report}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : inspect(error));
  process.exitCode = 1;
}

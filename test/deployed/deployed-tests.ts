import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Report, runTests } from '../runner.ts';
import { ASSEMBLIES, type Assemblies } from './assemblies.ts';
import { resourceCounts } from './bundles.ts';
import { EmulatedInstallation } from './emulated-installation.ts';
import { followGuide } from './guide-example.ts';
import { ISSUER, signInOptions, startIssuerProcess } from './issuer/issuer.ts';
import { type Tally, tally } from './tally.ts';
import { TARGETS, type Target } from './target.ts';

/** An emulator that runs already; without it, emulators are started. */
const endpoint = process.env['AWS_ENDPOINT_URL'];

/** The number of emulators: one is mostly idle, so several run at the same time, each with a part of the tests. */
export const DEPLOYMENTS = endpoint === undefined ? 3 : 1;

/** Runs the black-box tests. */
const runSuite = (environment: Readonly<Record<string, string>>): Promise<Report> =>
  runTests(process.argv.slice(2), [], { ...environment, WEFT_TEST_KIND: 'deployed' });

/** Loaded late: the configuration of the runner reads this file, and the CDK is large. */
const synthesize = async (folder: string, options: object): Promise<Assemblies> =>
  (await import('./synthesis.ts')).synthesizeAll(folder, options);

/** Prints the time that a task took. */
async function timed<T>(name: string, task: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await task();
  console.log(`${name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

/** The assemblies, and the URL of the issuer that the deployed one trusts. */
interface Made {
  readonly assemblies: Assemblies;
  readonly issuer: string;
}

async function testInstallations(
  installations: readonly EmulatedInstallation[],
  made: Made,
  isPart: boolean,
): Promise<Tally> {
  const targets = await timed(`deployed ${installations.length} times`, () =>
    Promise.all(installations.map((installation) => installation.deploy())),
  );
  const report = await timed('tests', () => runSuite(environmentOf(targets, made)));
  const remaining = await timed('destroyed', () =>
    Promise.all(installations.map((installation) => installation.destroy())),
  );
  const names = remaining.flat();
  console.log(`resources after destroying: ${names.length === 0 ? 'none' : names.join(', ')}`);
  // If a part of the tests ran, known failures may be missing.
  const counted = tally(report, isPart || endpoint !== undefined ? 'part' : 'emulator');
  return names.length === 0 ? counted : { ...counted, failed: counted.failed + 1 };
}

const environmentOf = (targets: readonly Target[], { assemblies, issuer }: Made) => ({
  [TARGETS]: JSON.stringify(targets),
  // Not with an emulator that runs already: a test that redeploys starts one of its own.
  ...(endpoint === undefined ? { [ASSEMBLIES]: JSON.stringify(assemblies), [ISSUER]: issuer } : {}),
  SERVICE_URL: targets[0]?.url ?? '',
});

/**
 * Deploys into emulators of AWS, or into the one at AWS_ENDPOINT_URL, runs the black-box tests, destroys, and checks
 * that no resources remain. With SERVICE_URL it only runs the tests, against that service.
 * @throws UnavailableError when the emulator cannot be installed.
 */
export async function testDeployed(): Promise<Tally> {
  if (process.env['SERVICE_URL'] !== undefined) return tally(await runSuite({}), 'elsewhere');
  const isPart = process.argv.length > 2;
  const isReadmeRight =
    isPart || endpoint !== undefined || (await timed('the commands of docs/deploying.md', followGuide));
  const folder = await mkdtemp(join(tmpdir(), 'weft-assembly-'));
  const issuer = await startIssuerProcess();
  const installations: EmulatedInstallation[] = [];
  try {
    const assemblies = await timed('synthesized', () => synthesize(folder, signInOptions(issuer.url)));
    const counts = [await resourceCounts(assemblies.usual), await resourceCounts(assemblies.everything)].flat();
    for (const line of counts) console.log(line);
    while (installations.length < DEPLOYMENTS) {
      installations.push(
        endpoint === undefined
          ? await EmulatedInstallation.open(assemblies.usual)
          : await EmulatedInstallation.at(endpoint, assemblies.usual),
      );
    }
    const counted = await testInstallations(installations, { assemblies, issuer: issuer.url }, isPart);
    return isReadmeRight ? { ...counted, passed: counted.passed + 1 } : { ...counted, failed: counted.failed + 1 };
  } finally {
    for (const installation of installations) await installation.close();
    await issuer.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

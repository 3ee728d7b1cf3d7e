import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Report, runTests } from '../runner.ts';
import { countsOf, lineOf, sizesOf } from './bundles.ts';
import { synthesize } from './deployment.ts';
import { PLACES, type Place } from './scratch.ts';
import { Stage } from './stage.ts';
import { type Tally, tally } from './tally.ts';
import { followGuide } from './walk-through.ts';

/** An emulator that runs already, in place of those that are started here. */
const endpoint = process.env['AWS_ENDPOINT_URL'];

/** The emulator waits more than it works, so several stand side by side, each with a share of the tests. */
export const DEPLOYMENTS = endpoint === undefined ? 3 : 1;

/** The black-box tests. */
const runSuite = (environment: Readonly<Record<string, string>>): Promise<Report> =>
  runTests(process.argv.slice(2), ['--config', 'vitest.deployed.config.ts'], environment);

/** Says how long something took. */
async function lap<T>(what: string, act: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await act();
  console.log(`${what}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

async function tryStages(stages: readonly Stage[], isPart: boolean): Promise<Tally> {
  const places = await lap(`deployed ${stages.length} times`, () => Promise.all(stages.map((stage) => stage.deploy())));
  const report = await lap('tests', () => runSuite(environmentOf(places)));
  const left = await lap('destroyed', () => Promise.all(stages.map((stage) => stage.destroy())));
  const names = left.flat();
  console.log(`left after destroying: ${names.length === 0 ? 'nothing' : names.join(', ')}`);
  // A part of the tests shows nothing of what it leaves out.
  const counted = tally(report, isPart || endpoint !== undefined ? 'part' : 'emulator');
  return names.length === 0 ? counted : { ...counted, failed: counted.failed + 1 };
}

const environmentOf = (places: readonly Place[]) => ({
  [PLACES]: JSON.stringify(places),
  SERVICE_URL: places[0]?.url ?? '',
});

/**
 * Deploys into emulators of AWS, or into the one at AWS_ENDPOINT_URL, tests, destroys, and looks what is left; with
 * SERVICE_URL the tests alone, against whatever is there. Throws Unavailable where the emulator cannot be had.
 */
export async function tryDeployed(): Promise<Tally> {
  if (process.env['SERVICE_URL'] !== undefined) return tally(await runSuite({}), 'elsewhere');
  const isPart = process.argv.length > 2;
  const isTrue = isPart || endpoint !== undefined || (await lap('the commands of docs/deploying.md', followGuide));
  const folder = await mkdtemp(join(tmpdir(), 'weft-assembly-'));
  const stages: Stage[] = [];
  try {
    await lap('synthesized', () => synthesize(folder, ['streaming=false', 'retain=false']));
    for (const line of [...(await countsOf(folder)), ...(await sizesOf()).map(lineOf)]) console.log(line);
    while (stages.length < DEPLOYMENTS) {
      stages.push(endpoint === undefined ? await Stage.open(folder) : await Stage.at(endpoint, folder));
    }
    const counted = await tryStages(stages, isPart);
    return isTrue ? { ...counted, passed: counted.passed + 1 } : { ...counted, failed: counted.failed + 1 };
  } finally {
    for (const stage of stages) await stage.close();
    await rm(folder, { recursive: true, force: true });
  }
}

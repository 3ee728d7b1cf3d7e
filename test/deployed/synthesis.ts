import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { DataStack, ServiceStack } from '../../cdk/service-stack.ts';
import { settingsOf } from '../../cdk/settings/read.ts';
import { type Assemblies, type AssemblyName, CONTEXTS } from './assemblies.ts';

/**
 * Synthesizes the app with each of the contexts, as `npm run cdk -- synth` does. All are synthesized into one folder of
 * CDK, which bundles the functions once, and copied from there.
 */
export async function synthesizeAll(folder: string): Promise<Assemblies> {
  const flags = JSON.parse(await readFile(new URL('../../cdk.json', import.meta.url), 'utf8')).context as object;
  const outdir = await mkdtemp(join(tmpdir(), 'weft-synthesis-'));
  const assemblies: Partial<Record<AssemblyName, string>> = {};
  for (const [name, context] of Object.entries(CONTEXTS) as [AssemblyName, object][]) {
    const app = new App({ outdir, analyticsReporting: false, context: { ...flags, ...context } });
    const settings = settingsOf(app.node);
    const { data } = new DataStack(app, 'WeftData', { settings });
    new ServiceStack(app, 'Weft', { settings, data });
    app.synth();
    assemblies[name] = join(folder, name);
    await cp(outdir, join(folder, name), { recursive: true });
  }
  await rm(outdir, { recursive: true });
  return assemblies as Assemblies;
}

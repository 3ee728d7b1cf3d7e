import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { DataStack, ServiceStack } from '../../cdk/service-stack.ts';
import { settingsOf } from '../../cdk/settings/read.ts';
import { type Assemblies, CONTEXTS } from './assemblies.ts';

/**
 * Synthesizes the app with each of the contexts, as `npm run cdk -- synth` does, into a folder each by its name. All are
 * synthesized into one folder of CDK, which bundles the functions once, and copied from there.
 */
export async function synthesizeEach<Name extends string>(
  folder: string,
  contexts: Readonly<Record<Name, object>>,
): Promise<Readonly<Record<Name, string>>> {
  const flags = JSON.parse(await readFile(new URL('../../cdk.json', import.meta.url), 'utf8')).context as object;
  const outdir = await mkdtemp(join(tmpdir(), 'weft-synthesis-'));
  const assemblies: Partial<Record<Name, string>> = {};
  for (const [name, context] of Object.entries(contexts) as [Name, object][]) {
    const app = new App({ outdir, analyticsReporting: false, context: { ...flags, ...context } });
    const settings = settingsOf(app.node);
    const { data } = new DataStack(app, 'WeftData', { settings });
    new ServiceStack(app, 'Weft', { settings, data });
    app.synth();
    assemblies[name] = join(folder, name);
    await cp(outdir, join(folder, name), { recursive: true });
  }
  await rm(outdir, { recursive: true });
  return assemblies as Readonly<Record<Name, string>>;
}

/** Synthesizes the assemblies that the tests deploy; `usual` with further options. */
export const synthesizeAll = (folder: string, options: object): Promise<Assemblies> =>
  synthesizeEach(folder, { ...CONTEXTS, usual: { ...CONTEXTS.usual, ...options } });

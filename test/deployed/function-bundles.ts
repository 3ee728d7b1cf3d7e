import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type CfnResource } from 'aws-cdk-lib';
import { WeftFunction } from '../../cdk/functions/function.ts';
import { DataStack, ServiceStack } from '../../cdk/service-stack.ts';
import { settingsOf } from '../../cdk/settings/read.ts';

/** The function for events of other buses exists only if this setting is used. */
const INBOUND = [{ namespace: 'any', pattern: { source: ['any'] } }];

/** Synthesizes every function as it is deployed. Returns the folder of each bundle by the path of its source below functions/. */
export function deployedBundles(outdir: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8');
  const { context } = JSON.parse(text) as { readonly context: object };
  const values = { ...context, inbound: INBOUND, 'aws:cdk:enable-asset-metadata': true };
  const app = new App({ outdir, analyticsReporting: false, context: values });
  const settings = settingsOf(app.node);
  const { data } = new DataStack(app, 'WeftData', { settings });
  new ServiceStack(app, 'Weft', { settings, data });
  const made = app.node.findAll().filter((construct) => construct instanceof WeftFunction);
  return new Map(
    made.map(({ path, handler }) => [path, join(outdir, assetOf(handler.node.defaultChild as CfnResource))]),
  );
}

const assetOf = (resource: CfnResource): string => String(resource.getMetadata('aws:asset:path'));

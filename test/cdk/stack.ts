import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DataStack, ServiceStack } from '../../cdk/service-stack.ts';
import { settingsOf } from '../../cdk/settings/read.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
}

const flags = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')).context as object;
const WITHOUT_BUNDLES = { 'aws:cdk:bundling-stacks': [] };

export interface Made {
  readonly app: App;
  /** The service. */
  readonly stack: ServiceStack;
  readonly data: DataStack;
}

/** The app with the context of cdk.json and further settings. Its functions are not bundled. */
export function makeApp(context: Readonly<Record<string, unknown>> = {}): Made {
  const outdir = mkdtempSync(join(tmpdir(), 'weft-cdk-'));
  const app = new App({ outdir, analyticsReporting: false, context: { ...flags, ...WITHOUT_BUNDLES, ...context } });
  const settings = settingsOf(app.node);
  const data = new DataStack(app, 'WeftData', { settings });
  return { app, data, stack: new ServiceStack(app, 'Weft', { settings, data: data.data }) };
}

type Resources = Record<string, Resource>;

export const resourcesIn = (stack: Stack): Resources => Template.fromStack(stack).toJSON()['Resources'] as Resources;

/** Every resource of the service, by its logical id. */
export const resourcesOf = (settings: Readonly<Record<string, unknown>> = {}): Resources =>
  resourcesIn(makeApp(settings).stack);

/** Every resource of the data, by its logical id. */
export const dataOf = (settings: Readonly<Record<string, unknown>> = {}): Resources =>
  resourcesIn(makeApp(settings).data);

/** The resources of a type, with their logical ids. */
export function ofType(resources: Record<string, Resource>, type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

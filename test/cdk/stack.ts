import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ServiceStack } from '../../cdk/service-stack.ts';
import { settingsOf } from '../../cdk/settings.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
}

const flags = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')).context as object;
const WITHOUT_BUNDLES = { 'aws:cdk:bundling-stacks': [] };

/** The app as cdk.json has it, told some more; its functions are not bundled. */
export function makeApp(told: Record<string, string> = {}): { app: App; stack: ServiceStack } {
  const outdir = mkdtempSync(join(tmpdir(), 'weft-cdk-'));
  const app = new App({ outdir, analyticsReporting: false, context: { ...flags, ...WITHOUT_BUNDLES, ...told } });
  return { app, stack: new ServiceStack(app, 'Weft', settingsOf(app.node)) };
}

/** Every resource of the template, by its logical id. */
export function resourcesOf(told: Record<string, string> = {}): Record<string, Resource> {
  return Template.fromStack(makeApp(told).stack).toJSON()['Resources'] as Record<string, Resource>;
}

/** The resources of a type, with their logical ids. */
export function ofType(resources: Record<string, Resource>, type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

import type { Blobs, Clock, Executions, Settings, Table, Vault } from '../../ports.ts';
import { s3Blobs } from './blobs.ts';
import { systemClock } from './clock.ts';
import { stepFunctions } from './executions.ts';
import { dynamoTable } from './table.ts';
import { parameterVault } from './vault.ts';

/**
 * The ports of a deployed function, made from its environment when first asked for. A function bundles only those it
 * imports.
 */

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the function has no ${name} in its environment`);
  return value;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export const table: () => Table = once(() =>
  dynamoTable({
    names: { catalog: setting('WEFT_CATALOG'), runs: setting('WEFT_RUNS'), journal: setting('WEFT_JOURNAL') },
  }),
);

export const blobs: () => Blobs = once(() => s3Blobs({ bucket: setting('WEFT_BUCKET') }));

export const vault: () => Vault = once(() => parameterVault({ name: setting('WEFT_KEY_PARAMETER') }));

export const executions: () => Executions = once(() =>
  stepFunctions({
    stepsFunctionArn: setting('WEFT_STEPS'),
    roleArn: setting('WEFT_MACHINE_ROLE'),
    logGroupArn: setting('WEFT_MACHINE_LOGS'),
    namePrefix: setting('WEFT_PREFIX'),
  }),
);

export const clock: () => Clock = once(systemClock);

export const settings: () => Settings = once(() => ({
  brand: setting('WEFT_BRAND'),
  version: setting('WEFT_VERSION'),
}));

/** False where API Gateway takes replies whole. */
export const mayStream = process.env['WEFT_STREAMING'] !== 'false';

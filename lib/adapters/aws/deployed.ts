import { parseCron, toSchedulerExpressions } from '../../language/cron.ts';
import type { Blobs, Bus, Clock, Executions, Schedules, Settings, Table, Vault } from '../../ports.ts';
import { s3Blobs } from './blobs.ts';
import { eventBridgeBus } from './bus.ts';
import { systemClock } from './clock.ts';
import { stepFunctions } from './executions.ts';
import { schedulerSchedules, type ToExpressions } from './schedules.ts';
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

/** Calls of it are marked as free of side effects: what nobody imports is left out of a bundle. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export const table: () => Table = /* @__PURE__ */ once(() =>
  dynamoTable({
    names: { catalog: setting('WEFT_CATALOG'), runs: setting('WEFT_RUNS'), journal: setting('WEFT_JOURNAL') },
  }),
);

export const blobs: () => Blobs = /* @__PURE__ */ once(() => s3Blobs({ bucket: setting('WEFT_BUCKET') }));

export const vault: () => Vault = /* @__PURE__ */ once(() => parameterVault({ name: setting('WEFT_KEY_PARAMETER') }));

export const executions: () => Executions = /* @__PURE__ */ once(() =>
  stepFunctions({
    stepsFunctionArn: setting('WEFT_STEPS'),
    roleArn: setting('WEFT_MACHINE_ROLE'),
    logGroupArn: setting('WEFT_MACHINE_LOGS'),
    namePrefix: setting('WEFT_PREFIX'),
  }),
);

export const bus: () => Bus = /* @__PURE__ */ once(() =>
  eventBridgeBus({
    busName: setting('WEFT_BUS'),
    source: setting('WEFT_EVENT_SOURCE'),
    delayMachineArn: setting('WEFT_DELAY_MACHINE'),
  }),
);

export const schedules: () => Schedules = /* @__PURE__ */ once(() =>
  schedulerSchedules({
    groupName: setting('WEFT_SCHEDULE_GROUP'),
    roleArn: setting('WEFT_SCHEDULE_ROLE'),
    targetArn: setting('WEFT_CRON'),
    deadLetterArn: setting('WEFT_FAILED'),
    toExpressions,
  }),
);

const toExpressions: ToExpressions = (text) => {
  const cron = parseCron(text);
  return 'problem' in cron ? cron : toSchedulerExpressions(cron);
};

export const clock: () => Clock = /* @__PURE__ */ once(systemClock);

export const settings: () => Settings = /* @__PURE__ */ once(() => ({
  brand: setting('WEFT_BRAND'),
  version: setting('WEFT_VERSION'),
}));

/** False where API Gateway takes replies whole. */
export const mayStream = process.env['WEFT_STREAMING'] !== 'false';

/** All of them, for a function that may run workflows. */
export const everything = { table, blobs, vault, executions, bus, schedules, clock, settings };

/** What a function needs that runs workflows. */
export const enginePorts = /* @__PURE__ */ once(() => ({
  table: table(),
  blobs: blobs(),
  executions: executions(),
  bus: bus(),
  schedules: schedules(),
  clock: clock(),
  settings: settings(),
}));

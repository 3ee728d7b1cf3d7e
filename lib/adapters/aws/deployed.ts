import type { Blobs } from '../../ports/blobs.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Changes } from '../../ports/changes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Containers } from '../../ports/containers.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Inventory } from '../../ports/inventory.ts';
import type { Meter } from '../../ports/meter.ts';
import type { Schedules } from '../../ports/schedules.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { Settings } from '../../ports/settings.ts';
import type { Table } from '../../ports/table.ts';
import type { Vault } from '../../ports/vault.ts';
import type { Web } from '../../ports/web.ts';
import { parseCron, toSchedulerExpressions } from '../../time/cron/cron.ts';
import { systemClock } from '../portable/clock.ts';
import { envelopeSealer } from '../portable/sealer.ts';
import { networkWeb } from '../portable/web.ts';
import { s3Blobs } from './blobs.ts';
import { eventBridgeBus } from './bus.ts';
import { pollingChanges } from './changes.ts';
import { invoker } from './containers/calls.ts';
import { lambdaContainers } from './containers/containers.ts';
import type { Invoke } from './containers/line.ts';
import { noContainers } from './containers/no-containers.ts';
import { type ContainerWork, containerWorker } from './containers/worker.ts';
import { stepFunctions } from './executions/executions.ts';
import { embeddedMeter } from './meter.ts';
import { kmsRootKey, parameterRootKey } from './root-key.ts';
import { schedulerSchedules, type ToExpressions } from './schedules.ts';
import { dynamoInventory } from './table/inventory.ts';
import { dynamoTable } from './table/table.ts';
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

const tableNames = () => ({
  catalog: setting('WEFT_CATALOG'),
  runs: setting('WEFT_RUNS'),
  journal: setting('WEFT_JOURNAL'),
});

export const table: () => Table = /* @__PURE__ */ once(() => dynamoTable({ names: tableNames() }));

export const inventory: () => Inventory = /* @__PURE__ */ once(() => dynamoInventory({ names: tableNames() }));

export const blobs: () => Blobs = /* @__PURE__ */ once(() => s3Blobs({ bucket: setting('WEFT_BUCKET') }));

export const vault: () => Vault = /* @__PURE__ */ once(() => parameterVault({ name: setting('WEFT_KEY_PARAMETER') }));

/** The root key is a parameter, which begins with a slash, or a key of the key management service. */
export const sealer: () => Sealer = /* @__PURE__ */ once(() => {
  const place = setting('WEFT_ROOT_KEY');
  return envelopeSealer(place.startsWith('/') ? parameterRootKey({ name: place }) : kmsRootKey({ keyId: place }));
});

export const web: () => Web = /* @__PURE__ */ once(() => networkWeb({ mayAskItself: false }));

export const executions: () => Executions = /* @__PURE__ */ once(() =>
  stepFunctions({
    stepsFunctionArn: setting('WEFT_STEPS'),
    roleArn: setting('WEFT_MACHINE_ROLE'),
    logGroupArn: setting('WEFT_MACHINE_LOGS'),
    namePrefix: setting('WEFT_PREFIX'),
    tags: JSON.parse(process.env['WEFT_TAGS'] ?? '{}') as Record<string, string>,
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

/** Containers are there where the stack has what makes them ready. */
function containersBy(invoke?: Invoke): Containers {
  if (process.env['WEFT_CONTAINER_MACHINE'] === undefined) {
    return noContainers('this installation was deployed without what runs containers');
  }
  const [machineArn, bucket] = [setting('WEFT_CONTAINER_MACHINE'), setting('WEFT_BUCKET')];
  return lambdaContainers({ table: table(), sealer, machineArn, bucket, ...(invoke && { invoke }) });
}

/** For those who prepare, remove and cancel. */
export const containers: () => Containers = /* @__PURE__ */ once(() => containersBy());

/** For those who call. */
export const calledContainers: () => Containers = /* @__PURE__ */ once(() => containersBy(invoker()));

/** What the state machine of containers calls. */
export const containerWork: () => ContainerWork = /* @__PURE__ */ once(() =>
  containerWorker({
    table: table(),
    sealer,
    roleArn: setting('WEFT_CONTAINER_ROLE'),
    logGroup: setting('WEFT_CONTAINER_LOGS'),
    repositoryUri: setting('WEFT_CONTAINER_REPOSITORY'),
    namePrefix: setting('WEFT_CONTAINER_PREFIX'),
  }),
);

export const changes: () => Changes = /* @__PURE__ */ once(() => pollingChanges());

export const clock: () => Clock = /* @__PURE__ */ once(systemClock);

/** The variable is there where the installation was told to count, and holds its name. */
export const meter: () => Meter | undefined = /* @__PURE__ */ once(() => {
  const installation = process.env['WEFT_METRICS'];
  return installation === undefined ? undefined : embeddedMeter({ namespace: setting('WEFT_BRAND'), installation });
});

export const settings: () => Settings = /* @__PURE__ */ once(() => ({
  brand: setting('WEFT_BRAND'),
  version: setting('WEFT_VERSION'),
  retentionDays: Number(setting('WEFT_RETENTION_DAYS')),
}));

/** False where API Gateway takes replies whole. */
export const mayStream = process.env['WEFT_STREAMING'] !== 'false';

/** What a function needs that begins or ends runs on request. Whoever runs states needs the sealer as well. */
export const everything = { table, blobs, vault, executions, bus, schedules, changes, clock, settings, meter };

/** The same without a request. */
export const enginePorts = /* @__PURE__ */ once(() => ({
  table: table(),
  blobs: blobs(),
  executions: executions(),
  bus: bus(),
  schedules: schedules(),
  clock: clock(),
  settings: settings(),
  meter: meter(),
}));

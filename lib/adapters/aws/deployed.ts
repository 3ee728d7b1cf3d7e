import { parseJson } from '../../language/json-numbers.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Lambdas } from '../../ports/callees/lambdas.ts';
import type { Web } from '../../ports/callees/web.ts';
import type { Changes } from '../../ports/changes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Containers } from '../../ports/containers.ts';
import type { Executions } from '../../ports/executions.ts';
import type { ExternalSecrets } from '../../ports/external-secrets.ts';
import type { Inventory } from '../../ports/inventory.ts';
import type { Schedules } from '../../ports/schedules.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { AuditSettings, RunLimits, Settings } from '../../ports/settings.ts';
import type { Table } from '../../ports/table.ts';
import type { Meter } from '../../ports/telemetry/meter.ts';
import type { Traces } from '../../ports/telemetry/traces.ts';
import type { Timers } from '../../ports/timers.ts';
import type { IamSettings, OidcSettings, Tokens } from '../../ports/tokens.ts';
import type { Vault } from '../../ports/vault.ts';
import { parseCron, toSchedulerExpressions } from '../../time/cron/cron.ts';
import { systemClock } from '../portable/clock.ts';
import { awsLambdas } from '../portable/lambdas.ts';
import { traceSettings } from '../portable/otlp-settings.ts';
import { awsPlaces } from '../portable/secrets/aws.ts';
import { externalSecrets as placedSecrets } from '../portable/secrets/external-secrets.ts';
import { vaultPlaceOf, vaultSettings } from '../portable/secrets/vault-settings.ts';
import { iamTokens } from '../portable/tokens/iam-tokens.ts';
import { issuerTokens } from '../portable/tokens/issuer-tokens.ts';
import { networkWeb } from '../portable/web.ts';
import { pollingChanges } from './changes.ts';
import { noContainers } from './containers/no-containers.ts';
import { containerWorker, type ReconcileRound } from './containers/revisions/reconcile-rounds.ts';
import { deferred } from './deferred.ts';
import { jsonIn, numberOf, setting } from './environment.ts';
import { embeddedMeter } from './meter.ts';
import type { ToExpressions } from './schedules.ts';
import { dynamoInventory } from './table/inventory.ts';
import { withLeases } from './table/leases.ts';
import { dynamoTable } from './table/table.ts';
import { CallTraces } from './traces.ts';

// The ports of a deployed function. Each is created from the environment at its first use, and a function bundles only
// the ports that it imports.

/**
 * Creates a value at its first use. Calls are marked as pure, so that a bundle omits the ports that it does not use.
 */
function once<T>(create: () => T): () => T {
  let created: { readonly value: T } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

const tableNames = () => ({
  catalog: setting('WEFT_CATALOG'),
  runs: setting('WEFT_RUNS'),
  journal: setting('WEFT_JOURNAL'),
});

/** The tables in DynamoDB. */
export const table: () => Table = /* @__PURE__ */ once(() => withLeases(dynamoTable({ names: tableNames() })));

/** All items of the tables in DynamoDB. */
export const inventory: () => Inventory = /* @__PURE__ */ once(() => dynamoInventory({ names: tableNames() }));

// Clients of the SDK that not every call of a function uses are loaded at their first call.

/** The blobs in S3. */
export const blobs: () => Blobs = /* @__PURE__ */ once(() =>
  deferred({ put: true, get: true, remove: true, delete: true, list: true }, async () => {
    const { s3Blobs } = await import('./blobs.ts');
    return s3Blobs({ bucket: setting('WEFT_BUCKET') });
  }),
);

/** The administrative key in Parameter Store. */
export const vault: () => Vault = /* @__PURE__ */ once(() =>
  deferred({ adminKey: true }, async () => {
    const { parameterVault } = await import('./vault.ts');
    return parameterVault({ name: setting('WEFT_KEY_PARAMETER') });
  }),
);

/** The tokens that the variables name, of an issuer and of IAM. */
export const tokens: () => Tokens = /* @__PURE__ */ once(() => {
  const [oidc, iam] = [jsonIn<OidcSettings>('WEFT_OIDC'), jsonIn<IamSettings>('WEFT_IAM')];
  // As the clients of the SDK read it.
  const sts = process.env['AWS_ENDPOINT_URL_STS'] ?? process.env['AWS_ENDPOINT_URL'];
  return {
    oidc: oidc && issuerTokens(oidc, Date.now),
    iam: iam && iamTokens(iam, Date.now, sts),
  };
});

/** The sealer under the root key in Parameter Store or KMS. */
export const sealer: () => Sealer = /* @__PURE__ */ once(() =>
  deferred({ newDataKey: true, seal: true, open: true }, async () => {
    const { awsSealer } = await import('./sealer.ts');
    return awsSealer(setting('WEFT_ROOT_KEY'));
  }),
);

/** Secrets of Secrets Manager, Parameter Store and Vault. */
export const externalSecrets: () => ExternalSecrets = /* @__PURE__ */ once(() => {
  const { secret, parameter } = awsPlaces();
  const vault = vaultPlaceOf(vaultSettings(process.env), parameter, Date.now);
  const own = ['WEFT_KEY_PARAMETER', 'WEFT_ROOT_KEY', 'VAULT_LOGIN_PARAMETER'].map(
    (name) => `aws-ssm:${process.env[name]}`,
  );
  const env = 'the service runs on AWS, and environment variables are for one machine';
  return placedSecrets({
    places: { 'aws-sm': secret, 'aws-ssm': parameter, vault, env },
    own: new Set(own),
    now: Date.now,
  });
});

/** Servers in the network, without those on this machine. */
export const web: () => Web = /* @__PURE__ */ once(() => networkWeb({ allowsPrivate: false }));

/** Functions that users name, in Lambda. */
export const lambdas: () => Lambdas = /* @__PURE__ */ once(() => awsLambdas());

/** The executions in Step Functions. */
export const executions: () => Executions = /* @__PURE__ */ once(() =>
  deferred({ define: true, remove: true, start: true, isRunning: true, stop: true, answer: true }, async () => {
    const { stepFunctions } = await import('./executions/executions.ts');
    return stepFunctions({
      stepsFunctionArn: setting('WEFT_STEPS'),
      roleArn: setting('WEFT_MACHINE_ROLE'),
      logGroupArn: setting('WEFT_MACHINE_LOGS'),
      namePrefix: setting('WEFT_PREFIX'),
      tags: parseJson(process.env['WEFT_TAGS'] ?? '{}') as Record<string, string>,
    });
  }),
);

/** The prefix of the machines, which distinguishes this installation from an earlier one of the same name. */
export const installation = (): string => setting('WEFT_PREFIX');

/** The bus in EventBridge. */
export const bus: () => Bus = /* @__PURE__ */ once(() =>
  deferred({ publish: true, publishAt: true }, async () => {
    const { eventBridgeBus } = await import('./bus.ts');
    return eventBridgeBus({
      busName: setting('WEFT_BUS'),
      source: setting('WEFT_EVENT_SOURCE'),
      delayMachineArn: setting('WEFT_DELAY_MACHINE'),
    });
  }),
);

/** The schedules in EventBridge Scheduler. */
export const schedules: () => Schedules = /* @__PURE__ */ once(() => ({
  problemOf(cron) {
    const times = toExpressions(cron);
    return 'problem' in times ? times.problem : undefined;
  },
  ...deferred<Omit<Schedules, 'problemOf'>>({ set: true, remove: true }, async () => {
    const { schedulerSchedules } = await import('./schedules.ts');
    return schedulerSchedules({
      groupName: setting('WEFT_SCHEDULE_GROUP'),
      roleArn: setting('WEFT_SCHEDULE_ROLE'),
      targetArn: setting('WEFT_CRON'),
      deadLetterArn: setting('WEFT_FAILED'),
      toExpressions,
    });
  }),
}));

/** The timers of delays in EventBridge Scheduler. */
export const timers: () => Timers = /* @__PURE__ */ once(() =>
  deferred({ set: true }, async () => {
    const { schedulerTimers } = await import('./timers.ts');
    return schedulerTimers({
      groupName: setting('WEFT_TIMER_GROUP'),
      roleArn: setting('WEFT_TIMER_ROLE'),
      targetArn: setting('WEFT_STEPS'),
    });
  }),
);

const toExpressions: ToExpressions = (text) => {
  const cron = parseCron(text);
  return 'problem' in cron ? cron : toSchedulerExpressions(cron);
};

/** Containers exist in a deployment with the state machine that reconciles their revisions. */
function containersBy(mayCall: boolean): Containers {
  if (process.env['WEFT_CONTAINER_MACHINE'] === undefined) {
    return noContainers('this installation was deployed without what runs containers');
  }
  const [machineArn, bucket] = [setting('WEFT_CONTAINER_MACHINE'), setting('WEFT_BUCKET')];
  const names = {
    problem: true,
    prepare: true,
    status: true,
    call: true,
    cancel: true,
    remove: true,
    output: true,
  } as const;
  return deferred<Containers>(names, async () => {
    const { lambdaContainers } = await import('./containers/containers.ts');
    const invoke = mayCall ? (await import('./containers/calls/function-call.ts')).invoker() : undefined;
    return lambdaContainers({ table: table(), sealer, machineArn, bucket, ...(invoke && { invoke }) });
  });
}

/** The containers, for functions that prepare and remove revisions and cancel calls. */
export const containers: () => Containers = /* @__PURE__ */ once(() => containersBy(false));

/** The containers, for functions that also call them. */
export const calledContainers: () => Containers = /* @__PURE__ */ once(() => containersBy(true));

/** The reconciliation of container revisions, which their state machine calls. */
export const reconcileRevision: () => ReconcileRound = /* @__PURE__ */ once(() =>
  containerWorker({
    table: table(),
    sealer,
    roleArn: setting('WEFT_CONTAINER_ROLE'),
    logGroup: setting('WEFT_CONTAINER_LOGS'),
    repositoryUri: setting('WEFT_CONTAINER_REPOSITORY'),
    namePrefix: setting('WEFT_CONTAINER_PREFIX'),
  }),
);

/** Changes of tables, by polling. */
export const changes: () => Changes = /* @__PURE__ */ once(() => pollingChanges());

/** The clock of the system. */
export const clock: () => Clock = /* @__PURE__ */ once(systemClock);

/** The metrics; undefined unless the variable, with the name of the installation, is set. */
export const meter: () => Meter | undefined = /* @__PURE__ */ once(() => {
  const installation = process.env['WEFT_METRICS'];
  return installation === undefined ? undefined : embeddedMeter({ namespace: setting('WEFT_BRAND'), installation });
});

/** The export of traces; undefined unless the variables `OTEL_*` name a receiver. */
export const traces: () => Traces | undefined = /* @__PURE__ */ once(() => {
  const settings = traceSettings(process.env);
  return settings && new CallTraces(settings, (text) => console.warn(text));
});

/** A partition takes 1,000 write units a second, a run with two commits uses two and more of each index. */
const PARTITION_ROWS = 300;

const limits = (): RunLimits => ({
  activeRuns: numberOf('WEFT_MAX_ACTIVE_RUNS'),
  startsPerSecond: numberOf('WEFT_MAX_STARTS_PER_SECOND'),
  countedBy: 'table',
  descendants: Number(setting('WEFT_MAX_DESCENDANTS')),
  waitingRequests: numberOf('WEFT_MAX_WAITING_REQUESTS') ?? 'half of the account',
  partitionRows: PARTITION_ROWS,
});

/** The settings of the installation. */
export const settings: () => Settings = /* @__PURE__ */ once(() => ({
  brand: setting('WEFT_BRAND'),
  url: process.env['WEFT_URL'],
  version: setting('WEFT_VERSION'),
  retentionDays: Number(setting('WEFT_RETENTION_DAYS')),
  startBudgetMs: Number(setting('WEFT_START_BUDGET_MS')),
  waits: process.env['WEFT_WAITS'] === 'table' ? 'table' : 'machine',
  limits: limits(),
  quotas: parseJson(process.env['WEFT_QUOTAS'] ?? '{}') as Settings['quotas'],
  audit: parseJson(setting('WEFT_AUDIT')) as AuditSettings,
  secretSources: parseJson(process.env['WEFT_SECRET_SOURCES'] ?? '[]') as Settings['secretSources'],
}));

/** Whether API Gateway streams responses; otherwise it buffers them. */
export const mayStream = process.env['WEFT_STREAMING'] !== 'false';

/** The ports of a function that starts or ends runs on request. To execute states, it also needs the sealer. */
export const everything = {
  ...{ table, blobs, vault, tokens, executions, bus, schedules, changes, clock, settings, meter, traces },
};

/** With `everything`: the ports of a function that executes states on request. */
export const runnerParts = { sealer, externalSecrets, web, lambdas, containers };

/** The ports of a function that starts or ends runs without a request. */
export const enginePorts = /* @__PURE__ */ once(() => ({
  table: table(),
  blobs: blobs(),
  executions: executions(),
  bus: bus(),
  schedules: schedules(),
  clock: clock(),
  settings: settings(),
  meter: meter(),
  traces: traces(),
}));

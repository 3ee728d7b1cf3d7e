import { Lazy, Stack, Stage } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import { blobsEnvironment, grantBlobs } from './data/blobs.ts';
import { WeftData } from './data/data.ts';
import { grantParameter, keyParameter, showKeyCommand } from './data/key.ts';
import { grantRootKey, rootKeyEnvironment } from './data/root-key.ts';
import { grantTables, tablesEnvironment } from './data/tables.ts';
import { Teardown } from './data/teardown.ts';
import { Upgrade } from './data/upgrade.ts';
import { DeadLetters } from './functions/dead-letters.ts';
import { Functions, type Grants } from './functions/functions.ts';
import { isAtOnce } from './functions/live.ts';
import { Alarms, type Monitored } from './operations/alarms.ts';
import { Budget } from './operations/budget.ts';
import { Dashboard } from './operations/dashboard.ts';
import { Rollout } from './operations/rollout.ts';
import { Upkeep } from './operations/upkeep.ts';
import { limitRoles } from './rights/boundary.ts';
import { Api } from './service/api.ts';
import { Bus } from './service/bus.ts';
import { Containers } from './service/containers.ts';
import { externalSecretsEnvironment, grantExternalSecrets } from './service/external-secrets.ts';
import { grantLambdas } from './service/lambdas.ts';
import { Machines } from './service/machines.ts';
import { Schedules } from './service/schedules.ts';
import { DelayTimers } from './service/timers.ts';
import { settingsWith } from './settings/read.ts';
import type { Settings } from './settings/settings.ts';

export { WeftData, type WeftDataProps } from './data/data.ts';
export type { Inbound, Outbound, Settings } from './settings/settings.ts';

/** The settings of the installation, all optional, and its data. */
export interface WeftProps extends Partial<Omit<Settings, 'version'>> {
  /** Usually in a separate stack. By default, the construct creates it. */
  readonly data?: WeftData;
}

/** One installation of the service: REST API, functions, event bus, and data unless `data` is given. */
export class Weft extends Construct {
  readonly data: WeftData;
  /** The REST API, for example for a firewall, a usage plan or a DNS record. */
  readonly api: RestApi;
  /** The bus with the events of namespaces, for further rules (docs/open-bus.md). */
  readonly bus: EventBus;
  /** The URL of the REST API; its paths begin with api/. */
  readonly url: string;
  /** The name of the encrypted parameter with the administrator's API key, in its JSON field `apikey`. */
  readonly keyParameter: string;
  /** The command that prints the administrator's API key. */
  readonly showKeyCommand: string;
  /** The target of the CNAME record of the domain name, if there is one. */
  readonly domainTarget: string | undefined;

  /** Throws for an invalid property, and if another installation in the same place has the same name. */
  constructor(scope: Construct, id: string, props: WeftProps = {}) {
    super(scope, id);
    const settings = settingsWith(props);
    this.keyParameter = keyParameter(settings);
    limitRoles(this, settings);
    refuseDuplicate(this);
    this.data = props.data ?? new WeftData(this, 'Data', settings);
    const machines = new Machines(this, 'Machines', settings);
    const deadLetters = new DeadLetters(this, 'Failed', settings);
    const bus = new Bus(this, 'Bus', settings);
    const schedules = new Schedules(this, 'Schedules', settings, deadLetters);
    const timers = new DelayTimers(this, 'Timers', settings, machines.stepsArn);
    const containers = new Containers(this, 'Containers', settings);
    const functions = new Functions(this, 'Functions', {
      settings,
      environment: this.#environment(settings, [machines, bus, schedules, timers, deadLetters, containers]),
      grants: grantsOf(settings, { machines, bus, schedules, timers, containers }),
      names: { steps: machines.stepsName, cron: schedules.cronName, containers: containers.workerName },
    });
    // Functions are deleted before the tables that they write to.
    functions.node.addDependency(this.data);
    functions.trigger('steps');
    containers.grantWork(functions.trigger('containers').role);
    containers.grantCalls(functions.trigger('steps').role);
    deadLetters.deliverTo(functions.trigger('failures'));
    deadLetters.catchFailuresOf(functions.trigger('cron'));
    bus.routeTo(functions.trigger('router'), deadLetters);
    if (settings.inbound.length > 0) bus.addInbound(settings.inbound, functions.trigger('inbound'), deadLetters);
    bus.addOutbound(settings.outbound, deadLetters);
    machines.grantDeletion(functions.trigger('sweep').role);
    new Upkeep(this, 'Upkeep', { settings, functions, machines, deadLetters });
    new Teardown(this, 'Teardown', {
      settings,
      target: { prefix: machines.prefix, containers: containers.prefix },
      grant: (role) => {
        machines.grantRemoval(role);
        containers.grantRemoval(role);
      },
      hours: HOURS_OF_DELETION,
      before: [machines, containers],
    });
    const api = new Api(this, 'Api', settings, functions);
    this.#monitor({ settings, api: api.rest, requests: api.logs, functions, deadLetters });
    new Upgrade(this, 'Upgrade', { settings, after: this.node.children, deadLetters });
    this.api = api.rest;
    this.bus = bus.bus;
    this.url = api.rest.url;
    this.domainTarget = api.domainTarget;
    this.showKeyCommand = showKeyCommand(settings);
  }

  #monitor(monitored: Monitored): void {
    const { settings, functions } = monitored;
    const { name, budget: limit, alarms: recipient } = settings;
    if (limit !== undefined && recipient !== undefined) new Budget(this, 'Budget', { name, limit, recipient });
    if (settings.alarms !== undefined) {
      const alarms = new Alarms(this, 'Alarms', monitored, settings.alarms).ofCode;
      if (!isAtOnce(settings)) new Rollout(this, 'Rollout', { settings, functions, alarms });
    }
    if (settings.dashboard) new Dashboard(this, 'Dashboard', monitored);
  }

  /** The host by which clients call the API, for functions that are created before it. */
  #host({ domain }: Settings): string {
    const ofApi = () => `${this.api.restApiId}.execute-api.${Stack.of(this).region}.${Stack.of(this).urlSuffix}`;
    return domain ?? Lazy.string({ produce: ofApi });
  }

  #environment(settings: Settings, makers: readonly { readonly environment: Record<string, string> }[]) {
    return {
      ...tablesEnvironment(settings),
      ...blobsEnvironment(this, settings),
      ...rootKeyEnvironment(settings),
      ...Object.assign({}, ...makers.map(({ environment }) => environment)),
      WEFT_KEY_PARAMETER: keyParameter(settings),
      WEFT_BRAND: settings.brand,
      ...(settings.domain === undefined ? {} : { WEFT_URL: `https://${settings.domain}` }),
      WEFT_VERSION: settings.version,
      WEFT_RETENTION_DAYS: String(settings.retentionDays),
      WEFT_START_BUDGET_MS: String(settings.startBudgetMs),
      ...(settings.waits === 'table' ? { WEFT_WAITS: settings.waits } : {}),
      ...limitsEnvironment(settings),
      ...(Object.keys(settings.quotas).length === 0 ? {} : { WEFT_QUOTAS: JSON.stringify(settings.quotas) }),
      WEFT_AUDIT: JSON.stringify({
        scope: settings.audit,
        retentionDays: settings.auditDays,
        namespace: settings.auditNamespace,
      }),
      WEFT_STREAMING: String(settings.streaming),
      ...(settings.metrics ? { WEFT_METRICS: settings.name } : {}),
      ...externalSecretsEnvironment(settings),
      ...(settings.oidc && { WEFT_OIDC: JSON.stringify(settings.oidc) }),
      ...(settings.iam && { WEFT_IAM: JSON.stringify({ audience: this.#host(settings), ...settings.iam }) }),
      ...settings.otel,
    };
  }
}

function limitsEnvironment(settings: Settings): Record<string, string> {
  const limits = {
    WEFT_MAX_DESCENDANTS: settings.maxDescendants,
    WEFT_MAX_ACTIVE_RUNS: settings.maxActiveRuns,
    WEFT_MAX_STARTS_PER_SECOND: settings.maxStartsPerSecond,
    WEFT_MAX_WAITING_REQUESTS: settings.maxWaitingRequests,
  };
  const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return Object.fromEntries(given.map(([name, limit]) => [name, String(limit)]));
}

/** Throws if another installation has the same name: its deployment would fail because the tables exist already. */
function refuseDuplicate(weft: Weft): void {
  const { environment } = Stack.of(weft);
  const others = Stage.of(weft)?.node.findAll() ?? [];
  const isDuplicate = (other: unknown): other is Weft =>
    other instanceof Weft &&
    other !== weft &&
    other.keyParameter === weft.keyParameter &&
    Stack.of(other).environment === environment;
  const duplicate = others.find(isDuplicate);
  if (duplicate === undefined) return;
  const name = weft.keyParameter.slice(1);
  throw new Error(
    `${duplicate.node.path} and ${weft.node.path} have the same name ${name}; give one of them another name`,
  );
}

/** How long the deletion of the stack may take: about 3,300 state machines an hour. */
const HOURS_OF_DELETION = 3;

/** For ports without access to AWS. */
const nothing = (): void => {};

const grantsOf = (settings: Settings, { machines, bus, schedules, timers, containers }: Granting): Grants => ({
  table: (role, access) => grantTables(settings, role, access),
  blobs: (role) => grantBlobs(settings, role),
  vault: (role) => grantParameter(role, keyParameter(settings)),
  sealer: (role) => grantRootKey(settings, role),
  executions: (role) => machines.grant(role),
  bus: (role) => bus.grant(role),
  schedules: (role) => schedules.grant(role),
  timers: (role) => timers.grant(role),
  containers: (role) => containers.grant(role),
  web: nothing,
  externalSecrets: (role) => grantExternalSecrets(settings, role),
  lambdas: (role) => grantLambdas(settings, role),
  changes: nothing,
  clock: nothing,
  settings: nothing,
  processor: nothing,
  reader: nothing,
  meter: nothing,
  traces: nothing,
  tokens: nothing,
});

interface Granting {
  readonly machines: Machines;
  readonly bus: Bus;
  readonly schedules: Schedules;
  readonly timers: DelayTimers;
  readonly containers: Containers;
}

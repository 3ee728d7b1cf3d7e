import { Stack, Stage } from 'aws-cdk-lib';
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
import { Failed } from './functions/failed.ts';
import { Functions, type Grants } from './functions/functions.ts';
import { Alarms } from './operations/alarms.ts';
import { Dashboard } from './operations/dashboard.ts';
import { Upkeep } from './operations/upkeep.ts';
import { Api } from './service/api.ts';
import { Bus } from './service/bus.ts';
import { Containers } from './service/containers.ts';
import { Machines } from './service/machines.ts';
import { Schedules } from './service/schedules.ts';
import { type Settings, settingsWith } from './settings/settings.ts';

export { WeftData, type WeftDataProps } from './data/data.ts';
export type { Inbound, Outbound, Settings } from './settings/settings.ts';

/** What the context of our own app can say, and where the data is. */
export interface WeftProps extends Partial<Omit<Settings, 'version' | 'protect'>> {
  /** Made before, usually in a stack of its own; without it, it is made inside. */
  readonly data?: WeftData;
}

/** One installation of the service: its interface, its functions, its bus, and its data unless that is elsewhere. */
export class Weft extends Construct {
  readonly data: WeftData;
  /** The interface: for a firewall, a usage plan or a record of DNS. */
  readonly api: RestApi;
  /** Where events of namespaces are told, for further rules (docs/open-bus.md). */
  readonly bus: EventBus;
  /** Where the interface is: the paths that begin with api/ are below it. */
  readonly url: string;
  /** The name of the encrypted parameter of the administrative key, which has it in the entry `apikey`. */
  readonly keyParameter: string;
  /** Shows the administrative key. */
  readonly showKeyCommand: string;
  /** What a domain name of one's own has to point to, where there is one. */
  readonly domainTarget: string | undefined;

  /** Throws for a property that is none, and for a name that another has. */
  constructor(scope: Construct, id: string, props: WeftProps = {}) {
    super(scope, id);
    const settings = settingsWith(props);
    this.keyParameter = keyParameter(settings);
    refuseTwin(this);
    this.data = props.data ?? new WeftData(this, 'Data', settings);
    const machines = new Machines(this, 'Machines', settings);
    const failed = new Failed(this, 'Failed', settings);
    const bus = new Bus(this, 'Bus', settings);
    const schedules = new Schedules(this, 'Schedules', settings, failed);
    const containers = new Containers(this, 'Containers', settings);
    const functions = new Functions(this, 'Functions', {
      settings,
      environment: this.#environment(settings, [machines, bus, schedules, failed, containers]),
      grants: grantsOf(settings, { machines, bus, schedules, containers }),
      names: { steps: machines.stepsName, cron: schedules.cronName, containers: containers.workerName },
    });
    // What writes is gone before what it writes to.
    functions.node.addDependency(this.data);
    functions.trigger('steps');
    containers.grantWork(functions.trigger('containers').role);
    containers.grantCalls(functions.trigger('steps').role);
    failed.keepBy(functions.trigger('failures'));
    failed.catch(functions.trigger('cron'));
    bus.route(functions.trigger('router'), failed);
    if (settings.inbound.length > 0) bus.bring(settings.inbound, functions.trigger('inbound'), failed);
    bus.take(settings.outbound, failed);
    new Upkeep(this, 'Upkeep', functions, machines, failed);
    new Teardown(this, 'Teardown', {
      settings,
      takes: { prefix: machines.prefix, containers: containers.prefix },
      grant: (role) => {
        machines.grantRemoval(role);
        containers.grantRemoval(role);
      },
      before: [machines, containers],
    });
    const api = new Api(this, 'Api', settings, functions);
    const watched = { settings, api: api.rest, requests: api.logs, functions, failed };
    if (settings.alarms !== undefined) new Alarms(this, 'Alarms', watched, settings.alarms);
    if (settings.dashboard) new Dashboard(this, 'Dashboard', watched);
    new Upgrade(this, 'Upgrade', settings, this.node.children, failed);
    this.api = api.rest;
    this.bus = bus.bus;
    this.url = api.rest.url;
    this.domainTarget = api.domainTarget;
    this.showKeyCommand = showKeyCommand(settings);
  }

  #environment(settings: Settings, makers: readonly { readonly environment: Record<string, string> }[]) {
    return {
      ...tablesEnvironment(settings),
      ...blobsEnvironment(this, settings),
      ...rootKeyEnvironment(settings),
      ...Object.assign({}, ...makers.map(({ environment }) => environment)),
      WEFT_KEY_PARAMETER: keyParameter(settings),
      WEFT_BRAND: settings.brand,
      WEFT_VERSION: settings.version,
      WEFT_RETENTION_DAYS: String(settings.retentionDays),
      WEFT_STREAMING: String(settings.streaming),
      ...(settings.metrics ? { WEFT_METRICS: settings.name } : {}),
    };
  }
}

/** Two of one name would be told apart by nothing: the second would fail where the first has made its tables. */
function refuseTwin(weft: Weft): void {
  const { environment } = Stack.of(weft);
  const others = Stage.of(weft)?.node.findAll() ?? [];
  const isTwin = (other: unknown): other is Weft =>
    other instanceof Weft &&
    other !== weft &&
    other.keyParameter === weft.keyParameter &&
    Stack.of(other).environment === environment;
  const twin = others.find(isTwin);
  if (twin === undefined) return;
  const name = weft.keyParameter.slice(1);
  throw new Error(`${twin.node.path} and ${weft.node.path} are both named ${name}: give one of them another name`);
}

/** For ports that reach nothing in AWS. */
const nothing = (): void => {};

const grantsOf = (settings: Settings, { machines, bus, schedules, containers }: Granting): Grants => ({
  table: (role) => grantTables(settings, role),
  blobs: (role) => grantBlobs(settings, role),
  vault: (role) => grantParameter(role, keyParameter(settings)),
  sealer: (role) => grantRootKey(settings, role),
  executions: (role) => machines.grant(role),
  bus: (role) => bus.grant(role),
  schedules: (role) => schedules.grant(role),
  containers: (role) => containers.grant(role),
  web: nothing,
  changes: nothing,
  clock: nothing,
  settings: nothing,
  meter: nothing,
});

interface Granting {
  readonly machines: Machines;
  readonly bus: Bus;
  readonly schedules: Schedules;
  readonly containers: Containers;
}

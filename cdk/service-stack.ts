import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import { Blobs } from './blobs.ts';
import { Bus } from './bus.ts';
import { Failed } from './failed.ts';
import { Functions } from './functions.ts';
import { Key } from './key.ts';
import { Machines } from './machines.ts';
import { Schedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { Tables } from './tables.ts';
import { Upkeep } from './upkeep.ts';

/** One installation of the service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, props: StackProps = {}) {
    super(scope, id, { stackName: settings.name, description: 'Weft: workflows without a server to keep', ...props });
    const tables = new Tables(this, 'Tables', settings);
    const blobs = new Blobs(this, 'Blobs', settings);
    const key = new Key(this, 'Key', settings);
    const machines = new Machines(this, 'Machines', settings);
    const failed = new Failed(this, 'Failed');
    const bus = new Bus(this, 'Bus', settings);
    const schedules = new Schedules(this, 'Schedules', settings, failed);
    const functions = new Functions(this, 'Functions', {
      settings,
      environment: {
        ...tables.environment,
        ...blobs.environment,
        ...key.environment,
        ...machines.environment,
        ...bus.environment,
        ...schedules.environment,
        ...failed.environment,
        WEFT_BRAND: settings.brand,
        WEFT_VERSION: settings.version,
        WEFT_STREAMING: String(settings.streaming),
      },
      grants: {
        table: (role) => tables.grant(role),
        blobs: (role) => blobs.grant(role),
        vault: (role) => key.grant(role),
        executions: (role) => machines.grant(role),
        bus: (role) => bus.grant(role),
        schedules: (role) => schedules.grant(role),
      },
      names: { steps: machines.stepsName, cron: schedules.cronName },
    });
    functions.inner('steps');
    failed.catch(functions.inner('cron'));
    bus.route(functions.inner('router'), failed);
    if (settings.inbound.length > 0) bus.bring(settings.inbound, functions.inner('inbound'), failed);
    bus.take(settings.outbound, failed);
    new Upkeep(this, 'Upkeep', functions, machines, failed);
    new Api(this, 'Api', settings, functions);
  }
}

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Api } from './api.ts';
import { Blobs } from './blobs.ts';
import { Functions } from './functions.ts';
import { Key } from './key.ts';
import { Machines } from './machines.ts';
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
    const functions = new Functions(this, 'Functions', {
      settings,
      environment: {
        ...tables.environment,
        ...blobs.environment,
        ...key.environment,
        ...machines.environment,
        WEFT_BRAND: settings.brand,
        WEFT_VERSION: settings.version,
        WEFT_STREAMING: String(settings.streaming),
      },
      grants: {
        table: (role) => tables.grant(role),
        blobs: (role) => blobs.grant(role),
        vault: (role) => key.grant(role),
        executions: (role) => machines.grant(role),
      },
      stepsName: machines.stepsName,
    });
    new Upkeep(this, 'Upkeep', functions, machines);
    new Api(this, 'Api', settings, functions);
  }
}

import { CustomResource, Duration } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Construct, type IConstruct } from 'constructs';
import { FIRST_VERSION, MIGRATIONS } from '../../lib/domain/migrations/index.ts';
import type { Failed } from '../functions/failed.ts';
import { WeftFunction } from '../functions/function.ts';
import type { Settings } from '../settings/settings.ts';
import { grantInventory, tablesEnvironment } from './tables.ts';

/**
 * Migrates the tables when a version of Weft with another schema version is deployed. It is the last step of the
 * deployment: functions of the former version would continue to write the old schema, and a deployment that fails after
 * the migration would return to them.
 */
export class Upgrade extends Construct {
  constructor(scope: Construct, id: string, settings: Settings, others: readonly IConstruct[], failed: Failed) {
    super(scope, id);
    const leading = new WeftFunction(this, 'Leading', {
      kind: 'deploy',
      file: 'upgrade',
      about: 'Leads the tables to the layout of this version',
      settings,
      environment: {
        ...tablesEnvironment(settings),
        WEFT_BRAND: settings.brand,
        ...(settings.metrics ? { WEFT_METRICS: settings.name } : {}),
      },
      timeout: Duration.minutes(15),
    });
    grantInventory(settings, leading.role);
    failed.catch(leading);
    failed.rule(this, 'Daily', {
      calls: leading,
      description: 'Once a day: items that a deployment had no time for',
      schedule: Schedule.rate(Duration.days(1)),
    });
    const led = new CustomResource(this, 'Led', {
      resourceType: 'Custom::TablesLed',
      serviceToken: leading.handler.functionArn,
      serviceTimeout: Duration.minutes(16),
      properties: { name: settings.name, layout: FIRST_VERSION + MIGRATIONS.length },
    });
    led.node.addDependency(...others, leading.role);
  }
}

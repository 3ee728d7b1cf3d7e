import { CustomResource, Duration } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Construct, type IConstruct } from 'constructs';
import { FIRST, STEPS } from '../../lib/domain/migrations/index.ts';
import type { Failed } from '../functions/failed.ts';
import { WeftFunction } from '../functions/function.ts';
import type { Settings } from '../settings/settings.ts';
import { grantInventory, tablesEnvironment } from './tables.ts';

/**
 * Leads what older versions left in the tables to what this one reads, when a version with another layout is deployed.
 * After all else: functions of before would go on writing the old layout, and a deployment that failed once the tables
 * are led would go back to them.
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
      properties: { name: settings.name, layout: FIRST + STEPS.length },
    });
    led.node.addDependency(...others, leading.role);
  }
}

import { CustomResource, Duration } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Construct, type IConstruct } from 'constructs';
import { LAST_VERSION } from '../../lib/domain/migrations/index.ts';
import type { DeadLetters } from '../functions/dead-letters.ts';
import { WeftFunction } from '../functions/function.ts';
import type { Settings } from '../settings/settings.ts';
import { grantInventory, tablesEnvironment } from './tables.ts';

export interface UpgradeProps {
  readonly settings: Settings;
  /** The resources that are deployed before the migration. */
  readonly after: readonly IConstruct[];
  readonly deadLetters: DeadLetters;
}

/**
 * Migrates the tables when a version with another schema is deployed. It depends on all other resources: earlier functions
 * would still write the old schema, and a deployment that fails after the migration would roll back to them.
 */
export class Upgrade extends Construct {
  constructor(scope: Construct, id: string, { settings, after, deadLetters }: UpgradeProps) {
    super(scope, id);
    const migration = new WeftFunction(this, 'Migration', {
      kind: 'deploy',
      file: 'upgrade',
      about: 'Migrates the tables to the schema of this version',
      settings,
      environment: {
        ...tablesEnvironment(settings),
        WEFT_BRAND: settings.brand,
        ...(settings.metrics ? { WEFT_METRICS: settings.name } : {}),
      },
      timeout: Duration.minutes(15),
    });
    grantInventory(settings, migration.role);
    deadLetters.catchFailuresOf(migration);
    deadLetters.addRule(this, 'Daily', {
      calls: migration,
      description: 'Once a day: items that a deployment did not migrate in time',
      schedule: Schedule.rate(Duration.days(1)),
    });
    const migrated = new CustomResource(this, 'Migrated', {
      resourceType: 'Custom::TablesMigrated',
      serviceToken: migration.handler.functionArn,
      serviceTimeout: Duration.minutes(16),
      properties: { name: settings.name, schema: LAST_VERSION },
    });
    migrated.node.addDependency(...after, migration.role);
  }
}

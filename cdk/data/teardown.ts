import { CustomResource, Duration } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WeftFunction } from '../functions/function.ts';
import type { Settings } from '../settings/settings.ts';

export interface TeardownProps {
  readonly settings: Settings;
  /** What functions/deploy/teardown.ts is told: whose machines go, and which bucket is emptied. */
  readonly takes: Readonly<Record<string, string>>;
  readonly grant: (role: IRole) => void;
  /** What must still be there when it is done. */
  readonly before: readonly Construct[];
}

/**
 * Takes away what the service made while it ran, when its stack is deleted: with the service its state machines and the
 * functions of containers, with the data the blobs unless they are kept. Schedules go with their group.
 */
export class Teardown extends Construct {
  constructor(scope: Construct, id: string, { settings, takes, grant, before }: TeardownProps) {
    super(scope, id);
    const { handler, role } = new WeftFunction(this, 'Maker', {
      kind: 'deploy',
      file: 'teardown',
      about: 'Takes away what the service made, when its stack is deleted',
      settings,
      environment: {},
      timeout: Duration.minutes(15),
    });
    grant(role);
    const made = new CustomResource(this, 'Made', {
      resourceType: 'Custom::MadeWhileRunning',
      serviceToken: handler.functionArn,
      serviceTimeout: Duration.minutes(16),
      // The same name for good: whatever else is told changes, this is not replaced, which would tear down.
      properties: { name: settings.name, ...takes },
    });
    // What depends on something is deleted before it.
    made.node.addDependency(role, ...before);
  }
}

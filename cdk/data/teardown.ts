import { CustomResource, Duration } from 'aws-cdk-lib';
import { type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WeftFunction } from '../functions/function.ts';
import type { Settings } from '../settings/settings.ts';

export interface TeardownProps {
  readonly settings: Settings;
  /** The input of functions/deploy/teardown.ts: the prefixes of resources to delete, and the bucket to empty. */
  readonly target: Readonly<Record<string, string>>;
  readonly grant: (role: IRole) => void;
  /** For how many hours a deletion of the stack may go on; by default 1. */
  readonly hours?: number;
  /** Resources that are deleted after it. */
  readonly before: readonly Construct[];
}

/**
 * Deletes resources that were created at run time when the stack is deleted: the state machines and the functions of
 * containers with the service stack, the blobs with the data stack unless they are retained. Schedules are deleted with
 * their group. What takes more than an hour is continued by further custom resources.
 */
export class Teardown extends Construct {
  constructor(scope: Construct, id: string, { settings, target, grant, hours = 1, before }: TeardownProps) {
    super(scope, id);
    const { handler, role } = new WeftFunction(this, 'Maker', {
      kind: 'deploy',
      file: 'teardown',
      about: 'Deletes what the service created, when its stack is deleted',
      settings,
      environment: {},
      timeout: Duration.minutes(15),
    });
    grant(role);
    // A separate policy: the function depends on the policy of its role, so that one must not name the function.
    const again = new Policy(this, 'Again', { roles: [role] });
    const actions = ['lambda:InvokeFunction', ...(hours > 1 ? ['lambda:TagResource', 'lambda:ListTags'] : [])];
    again.addStatements(new PolicyStatement({ actions, resources: [handler.functionArn] }));
    // CloudFormation waits for an hour for each resource. It deletes a resource before those that it depends on: first `Made`.
    let after: readonly Construct[] = [role as Construct, again, ...before];
    for (let hour = hours; hour >= 1; hour -= 1) {
      const isFirst = hour === 1;
      const made = new CustomResource(this, isFirst ? 'Made' : `Hour${hour}`, {
        resourceType: 'Custom::MadeWhileRunning',
        serviceToken: handler.functionArn,
        serviceTimeout: Duration.hours(1),
        // A constant name: a changed name would replace the resource, which would delete everything.
        properties: {
          ...{ name: settings.name, ...target },
          ...(isFirst ? {} : { continues: 'true' }),
          ...(hour === hours ? {} : { next: 'true' }),
        },
      });
      made.node.addDependency(...after);
      after = [made];
    }
  }
}

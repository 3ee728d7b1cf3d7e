import { ArnFormat, CfnOutput, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WeftFunction } from './function.ts';
import { allow } from './rights.ts';
import type { Settings } from './settings.ts';

/**
 * The administrative key: an encrypted parameter named after the service, with the entry `apikey` (architecture,
 * section 8). CloudFormation can make no encrypted parameter, so a function does when the stack is made; a parameter
 * that is there already is left as it is, so that a key of one's own can be put there before or after.
 */
export class Key extends Construct {
  readonly #name: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#name = `/${settings.name}`;
    const { handler, role } = new WeftFunction(this, 'Maker', {
      file: 'admin-key',
      about: 'Makes the administrative key when the stack is made',
      settings,
      environment: {},
      timeout: Duration.minutes(1),
    });
    allow(role, 'ssm', ['DeleteParameter', 'PutParameter'], [this.#arn]);
    const made = new CustomResource(this, 'Parameter', {
      resourceType: 'Custom::AdminKey',
      serviceToken: handler.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { name: this.#name },
    });
    made.node.addDependency(role);
    const command = `aws ssm get-parameter --with-decryption --query Parameter.Value --output text --name ${this.#name}`;
    new CfnOutput(this, 'Show', { value: command, description: 'Shows the administrative key' }).overrideLogicalId(
      'ShowKey',
    );
  }

  /** Where functions find the key. */
  get environment(): Record<string, string> {
    return { WEFT_KEY_PARAMETER: this.#name };
  }

  /** Lets a role read the key. The key that encrypts it is the account's own for parameters, open to whoever may. */
  grant(role: IRole): void {
    allow(role, 'ssm', ['GetParameter'], [this.#arn]);
  }

  get #arn(): string {
    return Stack.of(this).formatArn({
      service: 'ssm',
      resource: 'parameter',
      resourceName: this.#name.slice(1),
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}

import { ArnFormat, CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WeftFunction } from '../functions/function.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

/** An encrypted parameter with a random key, which is generated when the stack is created. */
export interface MadeKey {
  readonly name: string;
  /** The format of its value (lib/adapters/aws/deploy/admin-key.ts). */
  readonly kind: 'admin' | 'root';
  readonly resourceType: string;
}

/** The ARN of a parameter, whose name begins with a slash. */
export function parameterArn(scope: Construct, name: string): string {
  return Stack.of(scope).formatArn({
    service: 'ssm',
    resource: 'parameter',
    resourceName: name.slice(1),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
}

/** Allows a role to read a parameter. It is encrypted with the AWS managed key, which needs no further rights. */
export function grantParameter(role: IRole, name: string): void {
  allow(role, 'ssm', ['GetParameter'], [parameterArn(Stack.of(role), name)]);
}

/** The name of the parameter with the administrator's API key. */
export const keyParameter = ({ name }: Settings): string => `/${name}`;

/** The command that prints the administrator's API key. */
export const showKeyCommand = (settings: Settings): string =>
  `aws ssm get-parameter --with-decryption --query Parameter.Value --output text --name ${keyParameter(settings)}`;

/**
 * The administrator's API key: an encrypted parameter with the name of the installation and the JSON field `apikey`.
 * CloudFormation cannot create encrypted parameters, so a function does. An existing parameter
 * is not changed, so that you can set your own key before or after the deployment.
 */
export class Key extends Construct {
  readonly #maker: WeftFunction;
  readonly #removalPolicy: RemovalPolicy;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#removalPolicy = settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.#maker = new WeftFunction(this, 'Maker', {
      kind: 'deploy',
      file: 'admin-key',
      about: 'Creates the API key of the administrator and the root key with the stack',
      settings,
      environment: {},
      timeout: Duration.minutes(1),
    });
    this.make(this, 'Parameter', { name: keyParameter(settings), kind: 'admin', resourceType: 'Custom::AdminKey' });
  }

  /** Creates a parameter after the rights of the function were granted. */
  make(scope: Construct, id: string, { name, kind, resourceType }: MadeKey): void {
    const { handler, role } = this.#maker;
    allow(role, 'ssm', ['DeleteParameter', 'PutParameter'], [parameterArn(scope, name)]);
    const made = new CustomResource(scope, id, {
      resourceType,
      serviceToken: handler.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { name, kind },
      removalPolicy: this.#removalPolicy,
    });
    made.node.addDependency(role);
  }
}

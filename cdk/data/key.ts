import { ArnFormat, CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { WeftFunction } from '../functions/function.ts';
import { allow } from '../rights/rights.ts';
import type { Settings } from '../settings/settings.ts';

/** An encrypted parameter with a key that is made up when the stack is made. */
export interface MadeKey {
  readonly name: string;
  /** Which text it gets: lib/adapters/aws/deploy/admin-key.ts has the forms. */
  readonly kind: 'admin' | 'root';
  readonly resourceType: string;
}

/** The ARN of a parameter; its name begins with a slash. */
function parameterArn(scope: Construct, name: string): string {
  return Stack.of(scope).formatArn({
    service: 'ssm',
    resource: 'parameter',
    resourceName: name.slice(1),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
}

/** Lets a role read a parameter. The key that encrypts it is the account's own for parameters, open to whoever may. */
export function grantParameter(role: IRole, name: string): void {
  allow(role, 'ssm', ['GetParameter'], [parameterArn(Stack.of(role), name)]);
}

/** The parameter of the administrative key. */
export const keyParameter = ({ name }: Settings): string => `/${name}`;

/** Shows the administrative key. */
export const showKeyCommand = (settings: Settings): string =>
  `aws ssm get-parameter --with-decryption --query Parameter.Value --output text --name ${keyParameter(settings)}`;

/**
 * The administrative key: an encrypted parameter named after the service, with the entry `apikey` (architecture,
 * section 8). CloudFormation can make no encrypted parameter, so a function does when the stack is made; a parameter
 * that is there already is left as it is, so that a key of one's own can be put there before or after.
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
      about: 'Makes the administrative key and the root key when the stack is made',
      settings,
      environment: {},
      timeout: Duration.minutes(1),
    });
    this.make(this, 'Parameter', { name: keyParameter(settings), kind: 'admin', resourceType: 'Custom::AdminKey' });
  }

  /** Makes a parameter, once the maker may make it. */
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

import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key as KmsKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledgements.ts';
import { allow } from '../rights/rights.ts';
import type { Settings } from '../settings/settings.ts';
import { grantParameter, type Key } from './key.ts';

const parameterOf = ({ name, rootKey }: Settings): string => rootKey ?? `/${name}/root-key`;
const aliasOf = ({ name }: Settings): string => `alias/${name}`;

/**
 * What wraps the data keys of secrets (architecture, section 6): a random key in an encrypted parameter of its own, so
 * that whoever may read the administrative key cannot read it; or, where `kms` says so, a key that never leaves the key
 * management service and is rotated every year. It stays as long as the tables do: without it no secret in them opens.
 * A key of one's own is left to its owner.
 */
export class RootKey extends Construct {
  constructor(scope: Construct, id: string, settings: Settings, maker: Key) {
    super(scope, id);
    if (settings.kms === true) this.#makeManaged(settings);
    if (settings.kms === false && settings.rootKey === undefined) {
      maker.make(this, 'Parameter', { name: parameterOf(settings), kind: 'root', resourceType: 'Custom::RootKey' });
    }
  }

  #makeManaged(settings: Settings): void {
    new KmsKey(this, 'Key', {
      alias: aliasOf(settings),
      description: 'Wraps the data keys of secrets and credentials',
      enableKeyRotation: true,
      removalPolicy: settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

/** Where functions find the root key: a parameter, which begins with a slash, or a key of the key management service. */
export function rootKeyEnvironment(settings: Settings): Record<string, string> {
  const { kms } = settings;
  if (kms === false) return { WEFT_ROOT_KEY: parameterOf(settings) };
  return { WEFT_ROOT_KEY: kms === true ? aliasOf(settings) : kms };
}

const USES = ['Decrypt', 'Encrypt'];

/** Lets a role seal and open. */
export function grantRootKey(settings: Settings, role: IRole): void {
  const { kms } = settings;
  if (kms === false) grantParameter(role, parameterOf(settings));
  else if (kms === true) grantAlias(role, aliasOf(settings));
  else allow(role, 'kms', USES, [kms]);
}

/** A key that is known by its alias: rights are on keys, and which one it is stands in the request. */
function grantAlias(role: IRole, alias: string): void {
  const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
  const keys = Stack.of(role).formatArn({ service: 'kms', resource: 'key', resourceName: '*', arnFormat });
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: USES.map((use) => `kms:${use}`),
      resources: [keys],
      conditions: { StringEquals: { 'kms:RequestAlias': alias } },
    }),
  );
  acknowledge(role, {
    'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]':
      'The condition leaves the one key of that alias.',
  });
}

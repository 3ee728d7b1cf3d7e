import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key as KmsKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';
import { grantParameter, type Key, parameterArn } from './key.ts';

const parameterOf = ({ name, rootKey }: Settings): string => rootKey ?? `/${name}/root-key`;
const aliasOf = ({ name }: Settings): string => `alias/${name}`;

/**
 * The root key, which encrypts the data keys of secrets: a random key in an encrypted parameter,
 * apart from the administrator's API key; or, depending on `kms`, a KMS key with yearly rotation. It is retained together
 * with the tables: without it, their secrets cannot be decrypted. An existing key is not managed here.
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
      description: 'Encrypts the data keys of secrets and credentials',
      enableKeyRotation: true,
      removalPolicy: settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}

/** The environment variable with the root key: the name of a parameter, which begins with a slash, or a KMS key. */
export function rootKeyEnvironment(settings: Settings): Record<string, string> {
  const { kms } = settings;
  if (kms === false) return { WEFT_ROOT_KEY: parameterOf(settings) };
  return { WEFT_ROOT_KEY: kms === true ? aliasOf(settings) : kms };
}

const USES = ['Decrypt', 'Encrypt'];

/** Allows a role to encrypt and decrypt data keys. */
export function grantRootKey(settings: Settings, role: IRole): void {
  const { kms } = settings;
  if (kms === false) grantParameter(role, parameterOf(settings));
  if (settings.rootKey !== undefined) grantDecryption(role, settings.rootKey);
  if (kms === true) grantAlias(role, aliasOf(settings));
  if (typeof kms === 'string') allow(role, 'kms', USES, [kms]);
}

const allKeys = (role: IRole): string =>
  Stack.of(role).formatArn({
    service: 'kms',
    resource: 'key',
    resourceName: '*',
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });

/** A parameter of yours may be encrypted with any key of yours: the right holds for that parameter alone. */
function grantDecryption(role: IRole, parameter: string): void {
  const { region } = Stack.of(role);
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [allKeys(role)],
      conditions: {
        StringEquals: {
          'kms:ViaService': `ssm.${region}.amazonaws.com`,
          'kms:EncryptionContext:PARAMETER_ARN': parameterArn(role, parameter),
        },
      },
    }),
  );
  acknowledge(role, {
    'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]':
      'The condition restricts it to the decryption of that parameter by Parameter Store.',
  });
}

/** Grants a key by its alias: the rights are on all keys, with a condition on the alias of the request. */
function grantAlias(role: IRole, alias: string): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: USES.map((use) => `kms:${use}`),
      resources: [allKeys(role)],
      conditions: { StringEquals: { 'kms:RequestAlias': alias } },
    }),
  );
  acknowledge(role, {
    'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]':
      'The condition restricts it to the key with that alias.',
  });
}

import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings.ts';

type KeySetting = Pick<Settings, 'encryptionKey'>;

/** The key of yours that encrypts the resources of a construct; undefined: keys of AWS encrypt them. */
export function encryptionKeyOf(scope: Construct, { encryptionKey }: KeySetting): IKey | undefined {
  if (encryptionKey === undefined) return undefined;
  const id = 'EncryptionKey';
  return (scope.node.tryFindChild(id) as IKey | undefined) ?? Key.fromKeyArn(scope, id, encryptionKey);
}

/** What DynamoDB, S3 and SQS do with the key for the role that calls them. */
const USES = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'];

/** Allows a role to use your key by the services that store data, if there is one. Log groups use it by its policy. */
export function grantEncryptionKey({ encryptionKey }: KeySetting, role: IRole): void {
  if (encryptionKey === undefined) return;
  const { region } = Stack.of(role);
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: USES.map((use) => `kms:${use}`),
      resources: [encryptionKey],
      conditions: {
        StringEquals: { 'kms:ViaService': ['dynamodb', 's3', 'sqs'].map((name) => `${name}.${region}.amazonaws.com`) },
      },
    }),
  );
}

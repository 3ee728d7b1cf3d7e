import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type LifecycleRule, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import { encryptionKeyOf, grantEncryptionKey } from '../rights/encryption.ts';
import type { Settings } from '../settings/settings.ts';

/** The names of buckets are global, so this one contains account and region. */
export function bucketName(scope: Construct, { name }: Settings): string {
  const { account, region } = Stack.of(scope);
  return `${name}-blobs-${account}-${region}`;
}

/** Longer than any run or delayed event exists, with the time for which it is kept afterwards. */
const LAST_RESORT_DAYS = 3 * 365;

/** The time for which DynamoDB restores tables: as long, the blobs that their items refer to can be restored. */
const RECOVERY_DAYS = 35;

/** Versions of objects that were replaced or deleted are kept for as long as tables can be restored, and no longer. */
const VERSION_RULES: readonly LifecycleRule[] = [
  { id: 'versions', noncurrentVersionExpiration: Duration.days(RECOVERY_DAYS), expiredObjectDeleteMarker: true },
  // Messages of calls of containers: no item refers to them.
  { id: 'versions-of-calls', prefix: 'calls/', noncurrentVersionExpiration: Duration.days(1) },
];

/** The bucket for values that are too large for an item. */
export class Blobs extends Construct {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const encryptionKey = encryptionKeyOf(this, settings);
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: bucketName(this, settings),
      ...(encryptionKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      ...(settings.protect ? { versioned: true } : {}),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        { id: 'cut-short', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Objects of crashed callers of containers; other callers delete their objects.
        { id: 'calls', prefix: 'calls/', expiration: Duration.days(1) },
        // The last resort: the sweep removes blobs whose run or event has expired (docs/decisions/002).
        { id: 'runs', prefix: 'runs/', expiration: Duration.days(LAST_RESORT_DAYS) },
        { id: 'events', prefix: 'events/', expiration: Duration.days(LAST_RESORT_DAYS) },
        // Also without `protect`: versions may be left from a time with it.
        ...VERSION_RULES,
      ],
      removalPolicy: settings.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(bucket, { S1: 'Only the functions have access, and they log their requests.' });
  }
}

/** The environment variable with the name of the bucket. */
export const blobsEnvironment = (scope: Construct, settings: Settings): Record<string, string> => ({
  WEFT_BUCKET: bucketName(scope, settings),
});

/** Grants the actions of the blob port. With the right to list, S3 reports a missing object as 404 and not as 403. */
export function grantBlobs(settings: Settings, role: IRole): void {
  grantEncryptionKey(settings, role);
  grantBucket(settings, role, ['DeleteObject', 'GetObject', 'PutObject'], 'ListBucket');
}

/** Allows a role to empty the bucket: it deletes all versions of all objects. */
export function grantEmptying(settings: Settings, role: IRole): void {
  grantBucket(settings, role, ['DeleteObject', 'DeleteObjectVersion'], 'ListBucketVersions');
}

function grantBucket(settings: Settings, role: IRole, actions: readonly string[], list: string): void {
  const bucket = bucketName(Stack.of(role), settings);
  const arn = Stack.of(role).formatArn({ service: 's3', region: '', account: '', resource: bucket });
  allow(role, 's3', actions, [`${arn}/*`]);
  allow(role, 's3', [list], [arn]);
  acknowledge(role, {
    [`IAM5[Resource::arn:<AWS::Partition>:s3:::${settings.name}-blobs-<AWS::AccountId>-<AWS::Region>/*]`]:
      'The keys of blobs are created at run time.',
  });
}

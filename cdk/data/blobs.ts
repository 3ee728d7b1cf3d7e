import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

/** The names of buckets are global, so this one contains account and region. */
export function bucketName(scope: Construct, { name }: Settings): string {
  const { account, region } = Stack.of(scope);
  return `${name}-blobs-${account}-${region}`;
}

/** Longer than any run or delayed event exists, with the time for which it is kept afterwards. */
const LAST_RESORT_DAYS = 3 * 365;

/** The bucket for values that are too large for an item. */
export class Blobs extends Construct {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: bucketName(this, settings),
      encryption: BucketEncryption.S3_MANAGED,
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
  const bucket = bucketName(Stack.of(role), settings);
  const arn = Stack.of(role).formatArn({ service: 's3', region: '', account: '', resource: bucket });
  allow(role, 's3', ['DeleteObject', 'GetObject', 'PutObject'], [`${arn}/*`]);
  allow(role, 's3', ['ListBucket'], [arn]);
  acknowledge(role, {
    [`IAM5[Resource::arn:<AWS::Partition>:s3:::${settings.name}-blobs-<AWS::AccountId>-<AWS::Region>/*]`]:
      'The keys of blobs are created at run time.',
  });
}

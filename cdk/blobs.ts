import { type CfnElement, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import { allow } from './rights.ts';
import type { Settings } from './settings.ts';

/** The bucket for values that are too large for an item. */
export class Blobs extends Construct {
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string, { retain }: Settings) {
    super(scope, id);
    this.#bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [{ id: 'cut-short', abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(this.#bucket, { S1: 'Only the functions reach it, and they log the requests that make them do so.' });
  }

  /** Where functions find the bucket. */
  get environment(): Record<string, string> {
    return { WEFT_BUCKET: this.#bucket.bucketName };
  }

  /** Lets a role do what the port does; listing is also what tells a missing blob from a forbidden one. */
  grant(role: IRole): void {
    allow(role, 's3', ['DeleteObject', 'GetObject', 'PutObject'], [this.#bucket.arnForObjects('*')]);
    allow(role, 's3', ['ListBucket'], [this.#bucket.bucketArn]);
    const id = Stack.of(this).getLogicalId(this.#bucket.node.defaultChild as CfnElement);
    acknowledge(role, { [`IAM5[Resource::<${id}.Arn>/*]`]: 'The keys of blobs are made while the service runs.' });
  }
}

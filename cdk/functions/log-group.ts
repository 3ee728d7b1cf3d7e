import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { encryptionKeyOf } from '../rights/encryption.ts';
import type { Settings } from '../settings/settings.ts';

/** A log group with the retention and the key of the settings. It is deleted with its stack. */
export function newLogGroup(scope: Construct, id: string, settings: Settings, logGroupName?: string): LogGroup {
  const encryptionKey = encryptionKeyOf(scope, settings);
  return new LogGroup(scope, id, {
    ...(logGroupName === undefined ? {} : { logGroupName }),
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
    retention: settings.logDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}

import { Construct } from 'constructs';
import { type Settings, settingsWith } from '../settings/settings.ts';
import { Blobs, bucketName, grantBlobs } from './blobs.ts';
import { Key } from './key.ts';
import { RootKey } from './root-key.ts';
import { Tables } from './tables.ts';
import { Teardown } from './teardown.ts';

/** What of the settings concerns the data; the service must be told the same. */
export type WeftDataProps = Partial<Pick<Settings, 'name' | 'retain' | 'kms' | 'rootKey' | 'logDays' | 'tracing'>>;

/**
 * What outlives the service: tables, blobs, keys. The service finds all of it by its name, so a stack of its own for it
 * exports nothing, and neither stack ever holds the other up.
 */
export class WeftData extends Construct {
  constructor(scope: Construct, id: string, props: WeftDataProps = {}) {
    super(scope, id);
    const settings = settingsWith(props);
    new Tables(this, 'Tables', settings);
    const blobs = new Blobs(this, 'Blobs', settings);
    const key = new Key(this, 'Key', settings);
    new RootKey(this, 'RootKey', settings, key);
    const { retain } = settings;
    new Teardown(this, 'Teardown', {
      settings,
      takes: retain ? {} : { bucket: bucketName(this, settings) },
      grant: (role) => retain || grantBlobs(settings, role),
      before: [blobs],
    });
  }
}

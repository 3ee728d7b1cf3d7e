import { Construct } from 'constructs';
import { limitRoles } from '../rights/boundary.ts';
import { settingsWith } from '../settings/read.ts';
import type { Settings } from '../settings/settings.ts';
import { Blobs, bucketName, grantEmptying } from './blobs.ts';
import { Key } from './key.ts';
import { RootKey } from './root-key.ts';
import { Tables } from './tables.ts';
import { Teardown } from './teardown.ts';

/** The settings of the data. The service needs the same values. */
export type WeftDataProps = Partial<
  Pick<
    Settings,
    | 'name'
    | 'retain'
    | 'protect'
    | 'encryptionKey'
    | 'kms'
    | 'rootKey'
    | 'logDays'
    | 'tracing'
    | 'vpc'
    | 'permissionsBoundary'
  >
>;

/**
 * The data that outlives the service: tables, blobs, keys. The service finds them by their names, so that a separate stack
 * exports nothing, and neither stack blocks an update of the other.
 */
export class WeftData extends Construct {
  constructor(scope: Construct, id: string, props: WeftDataProps = {}) {
    super(scope, id);
    const settings = settingsWith(props);
    limitRoles(this, settings);
    new Tables(this, 'Tables', settings);
    const blobs = new Blobs(this, 'Blobs', settings);
    const key = new Key(this, 'Key', settings);
    new RootKey(this, 'RootKey', settings, key);
    const { retain } = settings;
    new Teardown(this, 'Teardown', {
      settings,
      target: retain ? {} : { bucket: bucketName(this, settings) },
      grant: (role) => retain || grantEmptying(settings, role),
      before: [blobs],
    });
  }
}

import { omitUndefined } from '../language/omit-undefined.ts';
import type { CloudEvent } from './cloud-event.ts';

/** An event as EventBridge delivers it. */
export interface BridgeEvent {
  readonly id: string;
  readonly source: string;
  readonly 'detail-type': string;
  readonly account: string;
  readonly region: string;
  /** RFC 3339. */
  readonly time: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

/** Converts an event of EventBridge: the detail-type is the type, the detail the data, the first resource the subject. */
export function fromBridge({ id, source, time, account, region, resources, detail, ...rest }: BridgeEvent): CloudEvent {
  return omitUndefined({
    specversion: '1.0',
    id,
    source,
    type: rest['detail-type'],
    time,
    datacontenttype: 'application/json',
    subject: resources[0],
    awsaccount: account,
    awsregion: region,
    data: detail,
  });
}

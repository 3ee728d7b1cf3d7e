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

/** The event as a CloudEvent: its type is the detail-type, its data the detail, its subject the first resource. */
export function fromBridge({
  id,
  source,
  time,
  account,
  region,
  resources,
  detail,
  ...event
}: BridgeEvent): CloudEvent {
  const [subject] = resources;
  return {
    specversion: '1.0',
    id,
    source,
    type: event['detail-type'],
    time,
    datacontenttype: 'application/json',
    ...(subject === undefined ? {} : { subject }),
    awsaccount: account,
    awsregion: region,
    data: detail,
  };
}

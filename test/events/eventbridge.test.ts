import { expect, test } from 'vitest';
import { needEvent } from '../../lib/events/cloud-event.ts';
import { type BridgeEvent, fromBridge } from '../../lib/events/eventbridge.ts';

/** The example in the user guide of S3, in the chapter about EventBridge. */
const EVENT: BridgeEvent = {
  id: '17793124-05d4-b198-2fde-7ededc63b103',
  'detail-type': 'Object Created',
  source: 'aws.s3',
  account: '111122223333',
  time: '2026-11-12T00:00:00Z',
  region: 'ca-central-1',
  resources: ['arn:aws:s3:::amzn-s3-demo-bucket1'],
  detail: { version: '0', bucket: { name: 'amzn-s3-demo-bucket1' }, object: { key: 'example-key', size: 5 } },
};

test('an event of EventBridge becomes a CloudEvent: detail-type is the type, detail the data, the first resource the subject', () => {
  const event = fromBridge(EVENT);
  expect(needEvent(event)).toEqual({
    specversion: '1.0',
    id: '17793124-05d4-b198-2fde-7ededc63b103',
    source: 'aws.s3',
    type: 'Object Created',
    time: '2026-11-12T00:00:00Z',
    subject: 'arn:aws:s3:::amzn-s3-demo-bucket1',
    datacontenttype: 'application/json',
    awsaccount: '111122223333',
    awsregion: 'ca-central-1',
    data: EVENT.detail,
  });
});

test('an event without a resource has no subject', () => {
  expect(fromBridge({ ...EVENT, resources: [] })).not.toHaveProperty('subject');
});

import type { CloudEvent } from '../../events/cloud-event.ts';
import type { Message } from '../../ports/bus.ts';
import type { Key } from '../../ports/table.ts';
import * as keys from '../storage/keys.ts';

/**
 * The name of an event in its namespace, since source and id identify it (CloudEvents 3.1.1): the id; and with the source,
 * after a blank, if an event of another source has this id.
 */
export const nameOf = ({ key, event: { id, source } }: { readonly key: Key; readonly event: CloudEvent }): string =>
  keys.hasSource(key.sk, source) ? `${id} ${source}` : id;

/** The deduplication key under which the bus publishes the event of a message at its time. */
export const timerOf = ({ record, id, source }: Message): string =>
  `event-${keys.hasSource(record.sk, source) ? `${id} ${source}` : id}`;

import type { CloudEvent } from './cloud-event.ts';

/**
 * The event as the data of a run holds it under the event's type (workflow-language 3): a JSON payload nested in
 * `data`, a text there as text, anything else in `data_base64`. A copy, so that the data can be changed.
 */
export function toData(event: CloudEvent): Record<string, unknown> {
  return { ...event };
}

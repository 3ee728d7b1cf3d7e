import type { CloudEventV1 } from 'cloudevents';
import { isObject, toJson } from '../language/json.ts';

/**
 * An event in the JSON format of CloudEvents (1.0 or 0.3): attributes, extensions and payload are members of one object.
 * It is plain JSON, so it is stored, sent and copied into the data of a run without conversion.
 */
export type CloudEvent = Readonly<Record<string, unknown>> &
  Readonly<Pick<CloudEventV1<unknown>, 'specversion' | 'id' | 'source' | 'type'>>;

const REQUIRED = ['specversion', 'id', 'source', 'type'];

/** Returns the event as compact JSON text with sorted keys: equal events have the same text. */
export function toText(event: CloudEvent): string {
  return toJson(event);
}

/**
 * Returns the event as it is in the data of a run (workflow-language 3): JSON payload in `data`, text as text, any other
 * payload in `data_base64`. It is a copy, which can be changed.
 */
export function toData(event: CloudEvent): Record<string, unknown> {
  return { ...event };
}

/** Returns the value as an event. Throws TypeError unless it is an object whose required attributes are non-empty texts. */
export function needEvent(value: unknown): CloudEvent {
  if (!isObject(value)) throw new TypeError('a CloudEvent is a JSON object');
  const invalid = REQUIRED.find((name) => {
    const attribute = Object.hasOwn(value, name) ? value[name] : undefined;
    return typeof attribute !== 'string' || attribute === '';
  });
  if (invalid !== undefined) throw new TypeError(`the attribute ${invalid} of a CloudEvent is a non-empty text`);
  return value as CloudEvent;
}

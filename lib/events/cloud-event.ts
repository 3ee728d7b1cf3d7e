import type { CloudEventV1 } from 'cloudevents';
import { isObject, toJson } from '../language/json.ts';

/**
 * An event in the JSON form of CloudEvents (1.0 or 0.3): attributes, extensions and the payload side by side. Plain
 * JSON, so that it can be stored, sent and put into a run's data as it is.
 */
export type CloudEvent = Readonly<Record<string, unknown>> &
  Readonly<Pick<CloudEventV1<unknown>, 'specversion' | 'id' | 'source' | 'type'>>;

const REQUIRED = ['specversion', 'id', 'source', 'type'];

/** The event as compact JSON text; the same event is always the same text (keys in order). */
export function toText(event: CloudEvent): string {
  return toJson(event);
}

/** The value when it is an event: an object whose required attributes are texts, none empty. Throws TypeError otherwise. */
export function needEvent(value: unknown): CloudEvent {
  if (!isObject(value)) throw new TypeError('a cloud event is a JSON object');
  const wrong = REQUIRED.find((name) => {
    const attribute = Object.hasOwn(value, name) ? value[name] : undefined;
    return typeof attribute !== 'string' || attribute === '';
  });
  if (wrong !== undefined) throw new TypeError(`a cloud event needs a text as its ${wrong}`);
  return value as CloudEvent;
}

import type { EventRecord, Listener } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { jsonIn, readJson, readObject } from '../format/json.ts';
import { textOfBase64 } from '../format/text.ts';

/** The fields of a form for an event. */
export interface EventDraft {
  readonly type: string;
  readonly source: string;
  /** Extension attributes, as JSON of an object. */
  readonly attributes: string;
  /** Any JSON; empty for an event without data. */
  readonly data: string;
}

const CORE: ReadonlySet<string> = new Set([
  'specversion',
  'id',
  'type',
  'source',
  'time',
  'datacontenttype',
  'data',
  'data_base64',
]);

type Json = Readonly<Record<string, unknown>>;

/** The event itself; undefined where it is not JSON. */
export const eventIn = ({ cloudevent }: Pick<EventRecord, 'cloudevent'>): Json | undefined =>
  jsonIn(textOfBase64(cloudevent)) as Json | undefined;

/** The type of the event that brings a decision to its run; no event of a user has this type. */
const DECISION = 'weft.approval';

/** Whether a run waits with this listener; other listeners start a run, or cancel one. */
export const isWait = ({ instance, cancels }: Listener): boolean => instance !== '' && cancels !== true;

/** Whether a listener waits for the decision of an approval. */
export const isForDecision = ({ events }: Listener): boolean => events.some(({ type }) => type === DECISION);

/** The reason of a wait in a few words: a decision, or types of events. */
export function waitWords(listener: Listener): string {
  if (isForDecision(listener)) return 'a decision';
  return listener.events.map(({ type }) => type).join(listener.mode === 'and' ? ' and ' : ' or ');
}

const WAIT = 'wait ';

/** The run of a listener in an explanation; undefined if the listener starts runs. */
export const waitingRun = (listener: string): string | undefined =>
  listener.startsWith(WAIT) ? listener.slice(WAIT.length) : undefined;

/** A draft with the content of an event. */
export function draftOfEvent(record: EventRecord): EventDraft {
  const event = eventIn(record) ?? {};
  const attributes = Object.fromEntries(Object.entries(event).filter(([name]) => !CORE.has(name)));
  const { data } = event as { readonly data?: unknown };
  return {
    type: record.type,
    source: record.source,
    attributes: JSON.stringify(attributes, null, 2),
    data: data === undefined ? '' : JSON.stringify(data, null, 2),
  };
}

/** The event that a draft stands for. Throws SyntaxError for attributes or data that are not JSON. */
function toEvent({ type, source, attributes, data }: EventDraft, id: string): Json {
  const more = readObject(attributes);
  if ('problem' in more) throw new SyntaxError(`Attributes: ${more.problem}`);
  const body = data.trim() === '' ? {} : readJson(data);
  if ('problem' in body) throw new SyntaxError(`Data: ${body.problem}`);
  return { specversion: '1.0', id, type, source, ...more.value, ...('value' in body ? { data: body.value } : {}) };
}

/** Sends an event into a namespace and returns its id. Throws ApiError, and SyntaxError for a draft that is not JSON. */
export async function sendEvent(namespace: string, draft: EventDraft): Promise<string> {
  const id = crypto.randomUUID();
  const body = JSON.stringify(toEvent(draft, id));
  await call('broadcastEvent', { namespace }, { body, type: 'application/cloudevents+json' });
  return id;
}

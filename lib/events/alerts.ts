import { isObject } from '../language/json.ts';
import type { CloudEvent } from './cloud-event.ts';

/** What an alert is about. */
const ALERT_KINDS = ['failed', 'late'] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

/** The run that an alert is about. */
export interface AlertFacts {
  readonly kind: AlertKind;
  /** The id of the run. */
  readonly instance: string;
  /** The path of its workflow, with a leading slash. */
  readonly workflow: string;
}

const typeOf = (brand: string): string => `${brand}.alert`;

/** The event that is recorded with the commit which owes an alert. The router sends the alert; no listener gets the event. */
export function alertEvent(
  facts: AlertFacts,
  { id, brand }: { readonly id: string; readonly brand: string },
): CloudEvent {
  return {
    specversion: '1.0',
    id,
    source: brand,
    type: typeOf(brand),
    datacontenttype: 'application/json',
    data: facts,
  };
}

/** The run that the event of an alert is about; undefined for any other event. */
export function alertIn({ type, source, data }: CloudEvent, brand: string): AlertFacts | undefined {
  if (type !== typeOf(brand) || source !== brand || !isObject(data)) return undefined;
  const { kind, instance, workflow } = data;
  const known = ALERT_KINDS.find((one) => one === kind);
  if (known === undefined || typeof instance !== 'string' || typeof workflow !== 'string') return undefined;
  return { kind: known, instance, workflow };
}

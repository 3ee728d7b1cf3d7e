import type { CloudEvent } from './cloud-event.ts';
import { matchesGlob } from './glob.ts';

/** What a listener asks of an event. */
export interface Filter {
  readonly type: string;
  /** Attribute name to value, all of which must match; names count in lower case. */
  readonly context: Readonly<Record<string, unknown>>;
}

export interface Verdict {
  readonly matches: boolean;
  /** The first attribute that does not fit; `found` is undefined when the event lacks it. */
  readonly failed?: { readonly attribute: string; readonly expected: unknown; readonly found: unknown };
}

/** Not attributes to ask for: the version says how an event is written, the rest is its payload. */
const NO_CONTEXT = new Set(['specversion', 'data', 'data_base64', 'datacontentencoding']);

/**
 * Whether a listener takes the event, and if not, because of which attribute (workflow-language 3). The type is equal.
 * Each attribute of the context is there; text is compared with text by glob, else it is enough to be there.
 * Extensions and `source` take part, and, other than in the original, the core attributes that are texts.
 */
export function explainMatch(filter: Filter, event: CloudEvent): Verdict {
  if (filter.type !== event.type) {
    return { matches: false, failed: { attribute: 'type', expected: filter.type, found: event.type } };
  }
  for (const [name, expected] of Object.entries(filter.context)) {
    const attribute = name.toLowerCase();
    const found = attributeOf(event, attribute);
    if (!fits(expected, found)) return { matches: false, failed: { attribute, expected, found } };
  }
  return { matches: true };
}

/** True when a listener with that filter takes the event; see `explainMatch`. */
export function matches(filter: Filter, event: CloudEvent): boolean {
  return explainMatch(filter, event).matches;
}

/** Only what the event itself holds: every object would answer to `constructor`. */
function attributeOf(event: CloudEvent, attribute: string): unknown {
  if (NO_CONTEXT.has(attribute) || !Object.hasOwn(event, attribute)) return undefined;
  return event[attribute] ?? undefined;
}

function fits(expected: unknown, found: unknown): boolean {
  if (found === undefined) return false;
  return typeof expected !== 'string' || typeof found !== 'string' || matchesGlob(expected, found);
}

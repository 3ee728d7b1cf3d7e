import { toJson } from '../language/json.ts';
import type { CloudEvent } from './cloud-event.ts';
import { matchesGlob } from './glob.ts';

/** The events that a listener wants. */
export interface Filter {
  readonly type: string;
  /** Values by attribute name, all of which must match; names are compared in lower case. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Whether numbers and booleans are compared as their texts; else they match every value, as in the original. */
  readonly isByValue?: boolean;
}

export interface MatchResult {
  readonly matches: boolean;
  /** The first attribute that does not match; `found` is undefined when the event does not have it. */
  readonly failed?: { readonly attribute: string; readonly expected: unknown; readonly found: unknown };
}

/** Members that filters cannot match: the version of the format, and the payload. */
const NO_CONTEXT = new Set(['specversion', 'data', 'data_base64', 'datacontentencoding']);

/**
 * Returns whether an event matches a filter, and the first attribute that does not (workflow-language 3). The type must
 * be equal, and the event must have each attribute of the context; a text is compared with a text as a glob. Extensions
 * and `source` can be filtered and, unlike in the original, the core attributes that are texts.
 */
export function explainMatch(filter: Filter, event: CloudEvent): MatchResult {
  if (filter.type !== event.type) {
    return { matches: false, failed: { attribute: 'type', expected: filter.type, found: event.type } };
  }
  for (const [name, expected] of Object.entries(filter.context)) {
    const attribute = name.toLowerCase();
    const found = attributeOf(event, attribute);
    if (!fits(expected, found, filter.isByValue)) return { matches: false, failed: { attribute, expected, found } };
  }
  return { matches: true };
}

/** Returns whether an event matches a filter; see `explainMatch`. */
export function matches(filter: Filter, event: CloudEvent): boolean {
  return explainMatch(filter, event).matches;
}

/** A text that an attribute of an event must equal. */
export interface Literal {
  /** In lower case. */
  readonly attribute: string;
  readonly text: string;
}

/** Attributes that most events of one type share: their values distinguish the listeners of the type badly. */
const SHARED_ATTRIBUTES: ReadonlySet<string> = new Set(['type', 'source', 'dataschema', 'datacontenttype']);

/** The order of preference among the literals of a filter. Stored listeners are found by it, so it never changes. */
function compareLiterals(one: Literal, other: Literal): number {
  const shared = Number(SHARED_ATTRIBUTES.has(one.attribute)) - Number(SHARED_ATTRIBUTES.has(other.attribute));
  const order = shared || other.text.length - one.text.length;
  return order || (`${one.attribute}=${one.text}` < `${other.attribute}=${other.text}` ? -1 : 1);
}

/**
 * The literal text (one without a wildcard) that a filter demands; undefined when there is none. Of several it is the
 * longest one, because ids are longer than names; the literal of a shared attribute only if there is no other.
 */
export function literalOf({ context }: Pick<Filter, 'context'>): Literal | undefined {
  const literals = Object.entries(context).flatMap(([name, expected]): Literal[] => {
    const isLiteral = typeof expected === 'string' && !expected.includes('*');
    return isLiteral ? [{ attribute: name.toLowerCase(), text: expected }] : [];
  });
  return literals.sort(compareLiterals)[0];
}

/** The value of an attribute (in lower case) that filters can match; undefined when the event does not have it. */
export function attributeOf(event: CloudEvent, attribute: string): unknown {
  // Only own members: every object inherits `constructor`.
  if (NO_CONTEXT.has(attribute) || !Object.hasOwn(event, attribute)) return undefined;
  return event[attribute] ?? undefined;
}

function fits(expected: unknown, found: unknown, isByValue = false): boolean {
  if (found === undefined) return false;
  if (isByValue) return matchesGlob(textOf(expected), textOf(found));
  return typeof expected !== 'string' || typeof found !== 'string' || matchesGlob(expected, found);
}

/** The text of a value, by which `order: 1` is the same as the header `ce-order: 1`. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : toJson(value ?? null));

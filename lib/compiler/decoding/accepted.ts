import type { Json } from '../../language/yaml/parser.ts';

/** Properties of every description. */
interface Every {
  /** Null, an absent field, empty text and an empty list, except as a query, are rejected. */
  readonly isRequired?: true;
  /** A value of this kind that is rejected nevertheless. */
  readonly except?: Json;
}

/**
 * The values that a decoder accepts. The JSON Schema of the language, completions and hover texts are made from these
 * descriptions. `state` and `function`: the id of one that the document declares; `query`: any value, whose texts may
 * contain jq(...) and js(...); `map`: a map with any keys; `schema`: a JSON Schema.
 */
export type Accepted = Every &
  (
    | { readonly kind: 'text' | 'flag' | 'number' | 'query' | 'map' | 'schema' }
    | { readonly kind: 'integer'; readonly minimum?: number }
    | { readonly kind: 'state' | 'function' | 'identifier' }
    /** An ISO 8601 duration, or one of these words. */
    | { readonly kind: 'duration'; readonly words?: readonly string[] }
    | { readonly kind: 'words'; readonly words: readonly string[] }
    | { readonly kind: 'list'; readonly of: Accepted }
    | { readonly kind: 'object'; readonly fields: AcceptedFields; readonly isLenient: boolean }
  );

/** The fields of a map by their names. */
export type AcceptedFields = Readonly<Record<string, Accepted>>;

/** The description of a decoder whose values are not validated: only types and names of fields are checked. */
export function withoutValidation({ isRequired: _, except: __, ...accepted }: Accepted): Accepted {
  if (accepted.kind === 'duration' || accepted.kind === 'identifier') return { kind: 'text' };
  if (accepted.kind === 'list') return { ...accepted, of: withoutValidation(accepted.of) };
  if (accepted.kind !== 'object') return accepted;
  const fields = Object.entries(accepted.fields).map(([name, field]) => [name, withoutValidation(field)]);
  return { ...accepted, fields: Object.fromEntries(fields) };
}

// `import { z }` would bundle all of zod with its locales: 417 KB instead of 14 KB.
import * as z from 'zod/mini';

/** A time in UTC with up to nine decimals: `2023-08-17T09:32:34.25Z`. */
export const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/));

/** A 64-bit integer as text (rest-api reference, 1.2). */
export const int64 = z.string().check(z.regex(/^-?\d{1,19}$/));

/** Bytes as standard base64 with padding. */
export const base64 = z.base64();

export const uuid = z.guid();

/** A counter of at least five digits, from `00001`. */
export const generation = z.string().check(z.regex(/^\d{5,}$/));

/** The field of a workflow that holds a run back before it begins. */
export const holdField = z.enum(['rate', 'debounce', 'batch']);

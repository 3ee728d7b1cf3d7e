import * as z from 'zod/mini';
import { base64, time } from './scalars.ts';

/** The sum of the two shapes the specification shows and the one its clients read; `error` at 401 and 403 alone. */
export const failure = z.object({
  code: z.int(),
  message: z.string(),
  Error: z.string(),
  StatusCode: z.int(),
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
});

export const version = z.object({ api: z.string(), flow: z.string(), functions: z.string() });
export const jqResults = z.object({ query: z.string(), data: base64, results: z.array(z.string()) });
export const description = z.looseObject({ openapi: z.string() });

/** No namespaces: all of them. */
export const keyRecord = z.object({
  id: z.string(),
  name: z.string(),
  permission: z.enum(['read', 'run', 'write', 'admin']),
  namespaces: z.array(z.string()),
  createdAt: time,
});
export const ownKey = z.object({ permission: keyRecord.shape.permission, namespaces: z.array(z.string()) });
export const keys = z.object({ keys: z.array(keyRecord) });
/** The only time that the key itself is shown. */
export const newKey = z.object({ key: keyRecord, secret: z.string() });

import * as z from 'zod/mini';
import { base64, time } from './scalars.ts';

/**
 * The fields of both shapes in the specification and of the one that clients read; `error` only with 401 and 403,
 * `violations` for an input or a form that does not fit its schema.
 */
export const failure = z.object({
  code: z.int(),
  message: z.string(),
  Error: z.string(),
  StatusCode: z.int(),
  error: z.optional(z.object({ code: z.string(), message: z.string() })),
  violations: z.optional(z.array(z.string())),
});

export const version = z.object({ api: z.string(), flow: z.string(), functions: z.string() });
export const jqResults = z.object({ query: z.string(), data: base64, results: z.array(z.string()) });
export const description = z.looseObject({ openapi: z.string() });

/** A JSON Schema, draft 7. */
export const jsonSchema = z.looseObject({ $schema: z.string() });

/** An empty list of namespaces means all. */
export const keyRecord = z.object({
  id: z.string(),
  name: z.string(),
  permission: z.enum(['worker', 'read', 'run', 'write', 'admin']),
  namespaces: z.array(z.string()),
  createdAt: time,
});
const rights = { permission: keyRecord.shape.permission, namespaces: z.array(z.string()) };
/** The rights where no namespace is named; with a token of several groups, `grants` has those of each. */
export const ownKey = z.object({ ...rights, grants: z.optional(z.array(z.object(rights))) });
/** How the console signs in beside keys; empty: by keys alone. */
export const signIn = z.object({
  oidc: z.optional(z.object({ issuer: z.string(), client: z.string(), authorizationUrl: z.string() })),
});
/** A token that is valid as a key is, and what continues the sign-in when it expires. */
export const signedIn = z.object({ token: z.string(), refreshToken: z.optional(z.string()) });
export const keys = z.object({ keys: z.array(keyRecord) });
/** The only reply that contains the secret of a key. */
export const newKey = z.object({ key: keyRecord, secret: z.string() });

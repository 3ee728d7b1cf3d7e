import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { base64 } from './scalars.ts';

/**
 * A folder or a secret; `initialized` is false for a secret without a value that a stored workflow names. `reference` is where
 * a value outside the service is, `cache` how long a process uses a value that it has read.
 */
export const secretRecord = z.object({
  name: z.string(),
  initialized: z.boolean(),
  reference: z.optional(z.string()),
  cache: z.optional(z.string()),
});
export const secrets = z.object({ namespace: z.string(), secrets: z.object(paged(secretRecord)) });
export const secret = z.object({ namespace: z.string(), key: z.string() });

/** `id` is the address in base64; `user` contains only the first and last letters of the user name. */
export const registry = z.object({ name: z.string(), id: base64, user: z.string() });
export const registries = z.object({ registries: z.array(registry) });
export const registryTest = z.object({});

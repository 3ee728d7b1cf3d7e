import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { base64, time, uuid } from './scalars.ts';

export const instanceRecord = z.object({
  createdAt: time,
  updatedAt: time,
  id: uuid,
  as: z.string(),
  // Web interfaces show an empty page for any other status; a cancelled run is `failed` with an error code of its own.
  status: z.enum(['pending', 'complete', 'failed', 'crashed']),
  errorCode: z.string(),
  errorMessage: z.string(),
  invoker: z.string(),
});

export const started = z.object({ namespace: z.string(), instance: uuid });
export const instances = z.object({ instances: z.object(paged(instanceRecord)), namespace: z.string() });
export const instance = z.object({
  namespace: z.string(),
  instance: instanceRecord,
  invokedBy: z.string(),
  flow: z.array(z.string()),
  workflow: z.object({ path: z.string(), name: z.string(), parent: z.string(), revision: z.string() }),
});
export const instanceData = z.object({ namespace: z.string(), instance: instanceRecord, data: base64 });

import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { int64, time, uuid } from './scalars.ts';

const stored = { createdAt: time, updatedAt: time, checksum: z.string(), mimeType: z.string() };
const ofWorkflow = { path: z.string() };
const ofInstance = { instance: uuid };

export const variable = z.object({ name: z.string(), ...stored, size: int64 });

const list = { namespace: z.string(), variables: z.object(paged(variable)) };
export const namespaceVariables = z.object(list);
export const workflowVariables = z.object({ ...list, ...ofWorkflow });
export const instanceVariables = z.object({ ...list, ...ofInstance });

const written = { namespace: z.string(), key: z.string(), ...stored, totalSize: int64 };
export const namespaceVariable = z.object(written);
export const workflowVariable = z.object({ ...written, ...ofWorkflow });
export const instanceVariable = z.object({ ...written, ...ofInstance });

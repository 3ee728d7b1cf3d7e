import * as z from 'zod/mini';
import { generation, int64 } from './scalars.ts';

const truth = z.enum(['True', 'False', 'Unknown']);
const size = z.int().check(z.minimum(0), z.maximum(2));
const limits = z.object({ maxscale: z.int() });
const change = z.enum(['ADDED', 'MODIFIED', 'DELETED']);

export const condition = z.object({ name: z.string(), status: truth, reason: z.string(), message: z.string() });

const info = z.object({
  name: z.string(),
  namespace: z.string(),
  workflow: z.string(),
  image: z.string(),
  cmd: z.string(),
  size,
  minScale: z.int(),
  namespaceName: z.string(),
  path: z.string(),
  revision: z.string(),
  envs: z.record(z.string(), z.string()),
});
export const serviceRecord = z.object({
  info,
  status: truth,
  conditions: z.array(condition),
  serviceName: z.string(),
});
export const services = z.object({ config: limits, functions: z.array(serviceRecord) });

/** In the details of a service, empty values are left out, and numbers are numbers. */
const detailedRevision = z.object({
  name: z.string(),
  image: z.string(),
  cmd: z.optional(z.string()),
  size: z.optional(size),
  minScale: z.optional(z.int()),
  generation: z.int(),
  created: z.int(),
  status: truth,
  conditions: z.optional(z.array(condition)),
  traffic: z.optional(z.int()),
  revision: generation,
});
export const service = z.object({
  name: z.string(),
  namespace: z.optional(z.string()),
  workflow: z.optional(z.string()),
  config: limits,
  revisions: z.array(detailedRevision),
  scope: z.string(),
});

/** In a stream of revisions, numbers are texts. */
export const serviceRevision = z.object({
  name: z.string(),
  image: z.string(),
  cmd: z.string(),
  size,
  minScale: z.int(),
  generation: int64,
  created: int64,
  status: truth,
  conditions: z.array(condition),
  desiredReplicas: int64,
  actualReplicas: int64,
  rev: generation,
});
export const serviceRevisions = z.object({
  revisions: z.array(serviceRevision),
  name: z.optional(z.string()),
  config: z.optional(limits),
});

export const pod = z.object({
  name: z.string(),
  status: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']),
  serviceName: z.string(),
  serviceRevision: z.string(),
});
export const pods = z.object({ pods: z.array(pod) });

const share = z.object({ revisionName: z.string(), traffic: int64, generation: int64 });
export const serviceFrame = z.object({ event: change, function: serviceRecord, traffic: z.array(share) });
export const revisionFrame = z.object({ event: change, revision: serviceRevision });
export const podFrame = z.object({ event: change, pod });
export const podLogFrame = z.object({ data: z.string() });

import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

const SERVICE = /^[a-z]([-a-z0-9]{0,62}[a-z0-9])?$/;
/** Words of addresses beside those of global services, `/api/functions/{service}`. */
const TAKEN: ReadonlySet<string> = new Set(['logs', 'namespaces', 'registries']);

const GENERATION_DIGITS = 5;

export function isServiceName(name: string): boolean {
  return SERVICE.test(name);
}

/** Throws `invalid` (406, rest-api reference, 11.1) unless the text may name a service of that scope. */
export function needServiceName(scope: 'global' | 'namespace', name: string): void {
  if (!isServiceName(name)) {
    throw new ServiceError('invalid', `invalid service name (must conform to regex: '${SERVICE.source}')`);
  }
  if (scope === 'global' && TAKEN.has(name)) {
    throw new ServiceError('invalid', `invalid service name: '${name}' is a word of this interface; choose another`);
  }
}

/** Whose a service is, as far as its name tells. */
export type Naming =
  | { readonly kind: 'global'; readonly name: string }
  | { readonly kind: 'namespace'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'workflow'; readonly version: string; readonly name: string };

/** The name that users see (rest-api reference, 11.1). Two services may share it: `namespace-a-b-c`. */
export function shownName(naming: Naming): string {
  if (naming.kind === 'global') return `global-${naming.name}`;
  const middle = naming.kind === 'namespace' ? naming.namespace : naming.version;
  return `${naming.kind}-${middle}-${naming.name}`;
}

/** Five digits, zero padded: `00003` (specification, Objects). */
export const generationText = (generation: number): string => String(generation).padStart(GENERATION_DIGITS, '0');

/** Undefined for what no generation is written as. */
export function toGeneration(text: string): number | undefined {
  const generation = /^\d{5,9}$/.test(text) ? Number(text) : 0;
  return generation > 0 && generationText(generation) === text ? generation : undefined;
}

export const revisionName = (service: string, generation: number): string => `${service}-${generationText(generation)}`;

const LONGEST_ID = 63;
const HASH_LENGTH = 12;

/**
 * What the world outside calls a revision: unique in the installation, also beside a service of the same name that was
 * deleted before, and at most 63 characters of [a-z0-9-]. It begins as the name that users see.
 */
export function revisionId(serviceId: string, service: string, generation: number): string {
  const end = `-${generationText(generation)}-${createHash('sha256').update(serviceId).digest('hex').slice(0, HASH_LENGTH)}`;
  const begin = service.toLowerCase().replace(/[^a-z0-9-]/g, '-');
  return `${begin.slice(0, LONGEST_ID - end.length)}${end}`;
}

/** The path of a workflow as services show it: `a_wf.yaml` (rest-api reference, 11.7). */
export const pathLabel = (path: string): string => path.replace(/^\//, '').replaceAll('/', '_');

/** Names what a function of a workflow asks for: a decimal number of 64 bits (rest-api reference, 11.7). */
export function versionOf(workflowId: string, name: string, wanted: unknown): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([workflowId, name, wanted]))
    .digest();
  return hash.readBigUInt64BE().toString();
}

import { ServiceError } from '../errors.ts';
import { sha256 } from '../storage/ids.ts';

const SERVICE = /^[a-z]([-a-z0-9]{0,62}[a-z0-9])?$/;
/** Words that are paths beside `/api/functions/{service}`. */
const RESERVED: ReadonlySet<string> = new Set(['logs', 'namespaces', 'registries']);

const GENERATION_DIGITS = 5;

/** Whether the text is a valid name of a service. */
export function isServiceName(name: string): boolean {
  return SERVICE.test(name);
}

/** Throws `invalid` (406, rest-api reference, 11.1) unless the text is a valid name of a service in the scope. */
export function needServiceName(scope: 'global' | 'namespace', name: string): void {
  if (!isServiceName(name)) {
    throw new ServiceError('invalid', `invalid service name (must conform to regex: '${SERVICE.source}')`);
  }
  if (scope === 'global' && RESERVED.has(name)) {
    throw new ServiceError('invalid', `invalid service name: '${name}' is reserved; choose another`);
  }
}

/** The parts of the name of a service. */
export type Naming =
  | { readonly kind: 'global'; readonly name: string }
  | { readonly kind: 'namespace'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'workflow'; readonly version: string; readonly name: string };

/** The name that users see (rest-api reference, 11.1). It is not unique: `namespace-a-b-c`. */
export function shownName(naming: Naming): string {
  if (naming.kind === 'global') return `global-${naming.name}`;
  const middle = naming.kind === 'namespace' ? naming.namespace : naming.version;
  return `${naming.kind}-${middle}-${naming.name}`;
}

/** A generation in five digits or more, zero padded: `00003` (specification, Objects). */
export const generationText = (generation: number): string => String(generation).padStart(GENERATION_DIGITS, '0');

/** The inverse of `generationText`; undefined for any other text. */
export function toGeneration(text: string): number | undefined {
  const generation = /^\d{5,9}$/.test(text) ? Number(text) : 0;
  return generation > 0 && generationText(generation) === text ? generation : undefined;
}

/** The name of a revision that users see: `namespace-demo-fast-00002`. */
export const revisionName = (service: string, generation: number): string => `${service}-${generationText(generation)}`;

const MAX_ID_LENGTH = 63;
const HASH_LENGTH = 12;

/**
 * The id of a revision in the port of containers: unique in the installation, also after a service of the same name was
 * deleted, and at most 63 characters of [a-z0-9-]. It begins like the name that users see.
 */
export function revisionId(serviceId: string, service: string, generation: number): string {
  const hash = sha256(serviceId).slice(0, HASH_LENGTH);
  const end = `-${generationText(generation)}-${hash}`;
  const begin = service.toLowerCase().replace(/[^a-z0-9-]/g, '-');
  return `${begin.slice(0, MAX_ID_LENGTH - end.length)}${end}`;
}

/** The path of a workflow as services show it: `a_wf.yaml` (rest-api reference, 11.7). */
export const pathLabel = (path: string): string => path.replace(/^\//, '').replaceAll('/', '_');

/** The version of a service that a workflow defines: a hash as a decimal number of 64 bits (rest-api reference, 11.7). */
export function versionOf(workflowId: string, name: string, wanted: unknown): string {
  const hash = sha256(JSON.stringify([workflowId, name, wanted]));
  return BigInt(`0x${hash.slice(0, 16)}`).toString();
}

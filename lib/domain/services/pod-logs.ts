import type { Ports } from '../../ports/ports.ts';
import { ServiceError } from '../errors.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import { ownsPod } from './views.ts';

type Needs = Pick<Ports, 'table' | 'containers'>;

/** The maximum size of one part of a log, bytes (rest-api reference, 3.2). */
const MAX_PART_BYTES = 2000;

/** Splits a text into parts, between characters. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of text) {
    const more = Buffer.byteLength(character);
    if (bytes + more > MAX_PART_BYTES) {
      parts.push(part);
      part = '';
      bytes = 0;
    }
    part += character;
    bytes += more;
  }
  return part === '' ? parts : [...parts, part];
}

const noPod = (pod: string): ServiceError => new ServiceError('not-found', `not found: no pod '${pod}' is running`);

/** Which namespaces a caller can access. */
interface Visibility {
  readonly isRestricted: boolean;
  canAccess(namespace: namespaces.Namespace): boolean;
}

/**
 * Throws `not-found` unless the pod runs for a namespace that the caller can access; for an unrestricted caller all pods
 * are visible. A key for some namespaces gives no access to pods of others, nor of global services.
 */
export async function needVisible(needs: Needs, caller: Visibility, pod: string): Promise<void> {
  if (!caller.isRestricted) return;
  const all = (await readAll(needs.table, keys.NAMESPACES)).map(namespaces.fromItem);
  const ids = all.filter((namespace) => caller.canAccess(namespace)).map(({ id }) => id);
  if (!(await ownsPod(needs, ids, pod))) throw noPod(pod);
}

/** Returns the output of a pod from a byte on, in parts, and where it ends. Throws `not-found`. */
export async function readOn({ containers }: Pick<Needs, 'containers'>, pod: string, from: number) {
  const written = await containers.output(pod, from);
  if (written === undefined) throw noPod(pod);
  return { parts: partsOf(written.text), end: written.end };
}

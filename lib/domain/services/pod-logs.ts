import type { Containers } from '../../ports/containers.ts';
import type { Table } from '../../ports/table.ts';
import { ServiceError } from '../errors.ts';
import * as namespaces from '../namespaces/namespaces.ts';
import { ownsPod } from './views.ts';

type Needs = { readonly table: Table; readonly containers: Containers };

/** Of one part of a log, in bytes (rest-api reference, 3.2). */
const LARGEST_PART = 2000;

/** The text in parts of whole characters. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of text) {
    const more = Buffer.byteLength(character);
    if (bytes + more > LARGEST_PART) {
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

/**
 * Throws `not-found` unless the pod runs for one of the namespaces; none named: for anybody. Who may see some namespaces
 * only is not to learn of others, nor of global services, which work for all.
 */
export async function needVisible(needs: Needs, visible: readonly string[], pod: string): Promise<void> {
  if (visible.length === 0) return;
  const all = await Promise.all(
    visible.map((name) =>
      namespaces.need(needs, name).catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'not-found') return undefined;
        throw error;
      }),
    ),
  );
  const ids = all.flatMap((namespace) => (namespace === undefined ? [] : [namespace.id]));
  if (!(await ownsPod(needs, ids, pod))) throw noPod(pod);
}

/** What a pod wrote from a byte on, in parts, and where that ends. Throws `not-found` for a pod that is not there. */
export async function readOn({ containers }: Pick<Needs, 'containers'>, pod: string, from: number) {
  const written = await containers.output(pod, from);
  if (written === undefined) throw noPod(pod);
  return { parts: partsOf(written.text), end: written.end };
}

import { isDeepStrictEqual } from 'node:util';
import type { Plan } from '../../compiler/plan/plan.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Table } from '../../ports/table.ts';
import { invalidField, ServiceError } from '../errors.ts';
import { fractionOf } from '../storage/ids.ts';
import type { Route, WorkflowNode } from './nodes.ts';
import * as refs from './refs.ts';
import * as revisions from './revisions.ts';

type Readers = { readonly table: Table; readonly blobs: Blobs };

const MOST_ROUTES = 100;
const HEAVIEST = 2 ** 31 - 1;

/**
 * The ref that a start takes that names none: by the weights of the routes, the same for the same seed; without a seed
 * the heaviest, which tells by what the workflow is started.
 */
export function choose({ routes }: Pick<WorkflowNode, 'routes'>, seed?: string): string {
  const total = routes.reduce((sum, { weight }) => sum + weight, 0);
  let left = seed === undefined ? 0 : fractionOf(seed) * total;
  for (const { ref, weight } of routes) {
    if (left < weight) return ref;
    left -= weight;
  }
  return routes.at(-1)?.ref ?? refs.LATEST;
}

/** Whether the latest revision has a say in what starts the workflow. */
export function countsLatest({ routes }: WorkflowNode): boolean {
  return routes.length === 0 || routes.some(({ ref }) => ref === refs.LATEST);
}

/**
 * Routes as they are kept: the heaviest first, those without weight left out. Throws `invalid` for weights that are
 * none.
 */
export function toRoutes(given: readonly Route[]): Route[] {
  if (given.some(({ weight }) => weight < 0 || weight > HEAVIEST)) {
    throw invalidField(`a weight is a number from 0 to ${HEAVIEST}`);
  }
  const routes = given
    .filter(({ weight }) => weight > 0)
    .map(({ ref, weight }) => ({ ref: ref || refs.LATEST, weight }));
  if (routes.length > MOST_ROUTES) throw invalidField(`there are at most ${MOST_ROUTES} routes`);
  return routes.sort((a, b) => b.weight - a.weight);
}

const incompatible = (a: string, b: string): string => `incompatible start definitions between refs '${a}' and '${b}'`;

/**
 * Why starts cannot be divided so: a revision does not compile, or two are started by different things (rest-api
 * reference, A.1). Undefined: they can. Throws `not-found` for an unknown ref.
 */
export async function problemOf(
  ports: Readers,
  node: WorkflowNode,
  routes: readonly Route[],
): Promise<string | undefined> {
  let first: { readonly ref: string; readonly plan: Plan } | undefined;
  for (const { ref } of routes) {
    const { plan } = await revisions.need(ports, node.id, await refs.resolve(ports, node, ref));
    if (plan === undefined) return `route to '${ref}' invalid because revision fails to compile`;
    first ??= { ref, plan };
    if (!isDeepStrictEqual(first.plan.start, plan.start)) return incompatible(first.ref, ref);
  }
  return undefined;
}

/** Throws `invalid` if a ref may not name this plan, because starts are divided between it and others. */
export async function needFitting(ports: Readers, node: WorkflowNode, name: string, plan: Plan): Promise<void> {
  const other = node.routes.find(({ ref }) => ref !== name);
  if (other === undefined || !node.routes.some(({ ref }) => ref === name)) return;
  const { plan: pinned } = await revisions.need(ports, node.id, await refs.resolve(ports, node, other.ref));
  if (!isDeepStrictEqual(pinned?.start, plan.start)) throw new ServiceError('invalid', incompatible(other.ref, name));
}

/**
 * Points a tag at the revision of another ref, and answers its id. Throws `not-found`, `refused`, and `invalid` for what
 * does not fit.
 */
export async function retag(ports: Readers, node: WorkflowNode, name: string, ref: string): Promise<string> {
  const tag = await refs.needTag(ports, node, name);
  const revision = await refs.resolve(ports, node, ref);
  if (node.routes.some((route) => route.ref === tag.name)) {
    // Alone among the routes, the tag says by what the workflow is started; that changes with the routes only.
    const [before, after] = await Promise.all([tag.revision, revision].map((id) => revisions.need(ports, node.id, id)));
    if (!isDeepStrictEqual(before?.plan?.start, after?.plan?.start)) {
      throw new ServiceError('invalid', incompatible(tag.name, ref || refs.LATEST));
    }
  }
  await refs.move(ports, node, tag, revision);
  return revision;
}

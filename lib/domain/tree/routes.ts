import { isDeepStrictEqual } from 'node:util';
import type { Plan } from '../../compiler/plan/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import { invalidField, ServiceError } from '../errors.ts';
import { fractionOf } from '../storage/ids.ts';
import type { Route, WorkflowNode } from './nodes.ts';
import * as refs from './refs.ts';
import * as revisions from './revisions.ts';

type Readers = Pick<Ports, 'table' | 'blobs'>;

const MAX_ROUTES = 100;
const MAX_WEIGHT = 2 ** 31 - 1;

/**
 * Returns the ref for a start that gives none: chosen by the weights of the routes, the same for the same seed. Without a
 * seed it is the heaviest, whose revision defines how the workflow is started.
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

/** Whether a new latest revision changes how the workflow is started. */
export function countsLatest({ routes }: WorkflowNode): boolean {
  return routes.length === 0 || routes.some(({ ref }) => ref === refs.LATEST);
}

/**
 * Returns routes as they are stored: the heaviest first, without those of weight 0. Throws `invalid` for an invalid
 * weight or too many routes.
 */
export function toRoutes(given: readonly Route[]): Route[] {
  if (given.some(({ weight }) => weight < 0 || weight > MAX_WEIGHT)) {
    throw invalidField(`a weight is a number from 0 to ${MAX_WEIGHT}`);
  }
  const routes = given
    .filter(({ weight }) => weight > 0)
    .map(({ ref, weight }) => ({ ref: ref || refs.LATEST, weight }));
  if (routes.length > MAX_ROUTES) throw invalidField(`there are at most ${MAX_ROUTES} routes`);
  return routes.sort((a, b) => b.weight - a.weight);
}

const incompatible = (a: string, b: string): string => `incompatible start definitions between refs '${a}' and '${b}'`;

/**
 * Returns why these routes are invalid: a revision does not compile, or two have different start definitions (rest-api
 * reference, A.1). Undefined: they are valid. Throws `not-found` for an unknown ref.
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

/** Throws `invalid` if a ref is routed and the start of the plan differs from that of another routed ref. */
export async function needFitting(ports: Readers, node: WorkflowNode, name: string, plan: Plan): Promise<void> {
  const other = node.routes.find(({ ref }) => ref !== name);
  if (other === undefined || !node.routes.some(({ ref }) => ref === name)) return;
  const { plan: pinned } = await revisions.need(ports, node.id, await refs.resolve(ports, node, other.ref));
  if (!isDeepStrictEqual(pinned?.start, plan.start)) throw new ServiceError('invalid', incompatible(other.ref, name));
}

/**
 * Moves a tag to the revision of another ref, and returns its id. Throws `not-found`, `refused`, and `invalid` for a
 * different start definition while the tag is routed.
 */
export async function retag(ports: Readers, node: WorkflowNode, name: string, ref: string): Promise<string> {
  const tag = await refs.needTag(ports, node, name);
  const revision = await refs.resolve(ports, node, ref);
  if (node.routes.some((route) => route.ref === tag.name)) {
    // If the tag is the only route, its revision defines how the workflow is started; only `divide` may change that.
    const [before, after] = await Promise.all([tag.revision, revision].map((id) => revisions.need(ports, node.id, id)));
    if (!isDeepStrictEqual(before?.plan?.start, after?.plan?.start)) {
      throw new ServiceError('invalid', incompatible(tag.name, ref || refs.LATEST));
    }
  }
  await refs.move(ports, node, tag, revision);
  return revision;
}

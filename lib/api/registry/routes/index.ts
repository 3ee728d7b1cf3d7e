import type * as z from 'zod/mini';
import type { Ports } from '../../../ports/ports.ts';
import { type FamilyName, families, WAY_IN } from '../families.ts';
import { lambdaOf, type Params, type Route } from '../route.ts';
import type { inputs } from '../shapes/inputs.ts';
import { events } from './events.ts';
import { execution } from './execution.ts';
import { globalServices } from './global-services.ts';
import { instances } from './instances.ts';
import { keys } from './keys.ts';
import { logs } from './logs.ts';
import { metrics } from './metrics.ts';
import { mirrors } from './mirrors.ts';
import { namespaceServices } from './namespace-services.ts';
import { namespaces } from './namespaces.ts';
import { registries } from './registries.ts';
import { revisions } from './revisions.ts';
import { secrets } from './secrets.ts';
import { system } from './system.ts';
import { tree } from './tree.ts';
import { variables } from './variables.ts';
import { workflowServices } from './workflow-services.ts';

/**
 * Every route, once. Its id is its name everywhere: endpoint, operation of the OpenAPI description, log field, heading
 * in the docs.
 */
export const routes = Object.freeze({
  ...namespaces,
  ...tree,
  ...revisions,
  ...mirrors,
  ...execution,
  ...instances,
  ...variables,
  ...secrets,
  ...registries,
  ...globalServices,
  ...namespaceServices,
  ...workflowServices,
  ...logs,
  ...metrics,
  ...events,
  ...system,
  ...keys,
} as const) satisfies Readonly<Record<string, Route>>;

type Routes = typeof routes;
export type RouteId = keyof Routes;

/** The ids of a family's routes. */
export type IdsOf<F extends FamilyName> = { [Id in RouteId]: Routes[Id]['family'] extends F ? Id : never }[RouteId];

/** The family of a route. */
export type FamilyOf<Id extends RouteId> = Routes[Id]['family'];

/** The path parameters of a route. */
export type ParamsOf<Id extends RouteId> = Params<Routes[Id]['path']>;

/** The JSON body of a route after its shape has been applied; undefined where there is none. */
export type InputOf<Id extends RouteId> = Routes[Id] extends { readonly input: infer Name extends keyof typeof inputs }
  ? z.infer<(typeof inputs)[Name]>
  : undefined;

/** Every route with its id, in the order of the registry. */
export const rows: readonly (readonly [RouteId, Route])[] = Object.freeze(Object.entries(routes) as [RouteId, Route][]);

/** The ports that the Lambda of a family needs: those of every family whose routes it serves, and of the way in. */
export function needsOf(lambda: FamilyName): readonly (keyof Ports)[] {
  const served = rows.map(([, route]) => route).filter((route) => lambdaOf(route) === lambda);
  const needs = served.flatMap((route): readonly (keyof Ports)[] => families[route.family].needs);
  return [...new Set([...WAY_IN, ...needs])].sort();
}

import type * as z from 'zod/mini';
import type { Ports } from '../../../ports/ports.ts';
import { COMMON_NEEDS, type FamilyName, families, type LambdaName, STREAM_NEEDS } from '../families.ts';
import { type LambdaOf, lambdaOf, type Params, type Route } from '../route.ts';
import type { inputs } from '../shapes/inputs.ts';
import { approvals } from './approvals.ts';
import { deletions } from './deletions.ts';
import { events } from './events.ts';
import { execution } from './execution.ts';
import { globalServices } from './global-services.ts';
import { hooks } from './hooks.ts';
import { instances } from './instances.ts';
import { jobs } from './jobs.ts';
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
import { workers } from './workers.ts';
import { workflowServices } from './workflow-services.ts';

/**
 * Every route. Its id is its name everywhere: endpoint, operation of the OpenAPI description, log field, heading in the
 * docs.
 */
export const routes = Object.freeze({
  ...namespaces,
  ...tree,
  ...revisions,
  ...mirrors,
  ...deletions,
  ...execution,
  ...instances,
  ...jobs,
  ...approvals,
  ...workers,
  ...variables,
  ...secrets,
  ...registries,
  ...globalServices,
  ...namespaceServices,
  ...workflowServices,
  ...logs,
  ...metrics,
  ...events,
  ...hooks,
  ...system,
  ...keys,
} as const) satisfies Readonly<Record<string, Route>>;

type Routes = typeof routes;
export type RouteId = keyof Routes;

/** The ids of the routes that fulfil a condition on their rows. */
type IdsWhere<Condition> = { [Id in RouteId]: Routes[Id] extends Condition ? Id : never }[RouteId];

/** The ids of the routes whose body is bytes. */
export type BytesId = IdsWhere<{ readonly body: 'bytes' }>;

/** The names of the path parameters of all routes. */
export type ParamName = { [Id in RouteId]: keyof Params<Routes[Id]['path']> }[RouteId];

/** The ids of the routes of families. */
export type IdsOf<Family extends FamilyName> = IdsWhere<{ readonly family: Family }>;

/** The ids of the routes that a Lambda serves. */
export type IdsServedBy<Name extends LambdaName> = {
  [Id in RouteId]: LambdaOf<Routes[Id]> extends Name ? Id : never;
}[RouteId];

/** The ids of the routes that can be an event stream. */
export type StreamedId = IdsWhere<{ readonly stream: true | 'only' }>;

/** The ids of the routes that are always an event stream. */
export type AlwaysStreamedId = IdsWhere<{ readonly stream: 'only' }>;

/** The path parameters of a route. */
export type ParamsOf<Id extends RouteId> = Params<Routes[Id]['path']>;

/** The JSON body of a route after its shape was applied; undefined if the route has none. */
export type InputOf<Id extends RouteId> = Routes[Id] extends { readonly input: infer Name extends keyof typeof inputs }
  ? z.infer<(typeof inputs)[Name]>
  : undefined;

/** The names of the ports of a Lambda: the ports that its routes need, and the ports without access to a resource. */
export type NeedsOf<Name extends LambdaName> = PortNamesOf<IdsServedBy<Name>>;

/** The ports that the endpoint of a route may use. */
export type PortsOf<Id extends RouteId> = Pick<Ports, PortNamesOf<Id>>;

type PortNamesOf<Id extends RouteId> =
  | (typeof families)[Routes[Id]['family']]['needs'][number]
  | (typeof COMMON_NEEDS)[number]
  | (Id extends StreamedId ? (typeof STREAM_NEEDS)[number] : never)
  | 'settings'
  | 'meter'
  | 'tokens';

/** Every route with its id, in the order of the registry. */
export const rows: readonly (readonly [RouteId, Route])[] = Object.freeze(Object.entries(routes) as [RouteId, Route][]);

/** The ports that a Lambda needs, sorted: for the families of its routes, for every request, and for event streams. */
export function needsOf(name: LambdaName): readonly (keyof Ports)[] {
  const served = rows.map(([, route]) => route).filter((route) => lambdaOf(route) === name);
  const needs = served.flatMap((route): readonly (keyof Ports)[] => families[route.family].needs);
  const streamNeeds = served.some(({ stream }) => stream !== undefined) ? STREAM_NEEDS : [];
  return [...new Set([...COMMON_NEEDS, ...streamNeeds, ...needs])].sort();
}

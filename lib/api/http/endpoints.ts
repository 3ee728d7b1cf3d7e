import type { LambdaName } from '../registry/families.ts';
import type { AlwaysStreamedId, IdsServedBy, PortsOf, RouteId } from '../registry/routes/index.ts';
import type { Call } from './call.ts';

/** Serves one route: returns a JSON value, `undefined` for an empty reply, or a `RawReply`. */
export type Endpoint<Id extends RouteId> = (ports: PortsOf<Id>, call: Call<Id>) => unknown;

/** The endpoints of some routes: a missing one is a type error. A route that is always streamed has a stream source. */
export type EndpointsOf<Ids extends RouteId> = { readonly [Id in Exclude<Ids, AlwaysStreamedId>]: Endpoint<Id> };

/** The endpoints of a Lambda: one for each of its routes. */
export type Endpoints<Name extends LambdaName> = EndpointsOf<IdsServedBy<Name>>;

import { ServiceError } from '../../domain/errors.ts';
import { leased } from '../../ports/table.ts';
import type { Route } from '../registry/route.ts';
import type { InputOf, ParamsOf, RouteId } from '../registry/routes/index.ts';
import { inputs } from '../registry/shapes/inputs.ts';
import { type AccessPorts, authenticate, requirePermission, unrestricted } from './access.ts';
import type { Authenticated, Caller } from './caller.ts';
import { decodeJson } from './json-body.ts';
import type { Match } from './match.ts';
import { ORIGINAL_BODIES } from './original-bodies.ts';
import type { Request, RequestHead } from './request.ts';

/** An authorized request with its route: the argument of an endpoint. */
export interface Call<Id extends RouteId = RouteId> {
  readonly path: ParamsOf<Id>;
  /** The path ended in a slash: of secrets, this is the name of a folder. */
  readonly endsInSlash: boolean;
  readonly query: Request['query'];
  readonly headers: Request['headers'];
  readonly body: Uint8Array;
  /** The JSON body after validation; undefined for routes without one. */
  readonly input: InputOf<Id>;
  readonly caller: Caller;
  /** The IP address of the client, or of the proxy before it; empty if it is not known. */
  readonly address: string;
  /** When the reply must be ready, milliseconds since 1970; infinite in the local service. */
  readonly deadline: number;
}

/** A request's route, and the parameters in its path. */
export type Routed = Extract<Match, { readonly id: RouteId }>;

/** The maximum size of a body in bytes, unless its route has another one (rest-api reference, 1.4). */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The maximum size of a route's body, in bytes. */
export const maxBodyBytes = ({ maxBytes = MAX_BODY_BYTES }: Pick<Route, 'maxBytes'>): number => maxBytes;

/** Returns the caller of a request, also if it may not use the route. Throws `unauthorized`. */
export async function identify(
  ports: AccessPorts,
  request: RequestHead,
  { route, params }: Routed,
): Promise<Authenticated> {
  if (route.permission === 'none') return { caller: unrestricted('', 'read'), isAtHome: true };
  const { table, vault, tokens } = ports;
  return authenticate({ table: leased(table), vault, tokens }, request, params['namespace']);
}

/** Returns the caller of a request that may use its route. Throws `unauthorized`, `forbidden`. */
export async function authorize(ports: AccessPorts, request: RequestHead, routed: Routed): Promise<Caller> {
  const authenticated = await identify(ports, request, routed);
  requirePermission(authenticated, routed.route, routed.params['namespace']);
  return authenticated.caller;
}

function inputOf(request: Request, { id, route }: Routed): unknown {
  if (route.body !== 'json' || route.input === undefined) return undefined;
  try {
    return decodeJson(request.body, inputs[route.input], route.optional === true, ORIGINAL_BODIES[route.input]);
  } catch (error) {
    // The specification requires 400 for one route; existing clients know the other status of the older routes.
    const isBadRequest = id === 'runJq' || route.from === 'weft';
    if (isBadRequest && error instanceof ServiceError && error.code === 'refused')
      throw new ServiceError('malformed', error.message);
    throw error;
  }
}

/** Reads the call of a route from a request. Throws `too-large`, and `refused` or `malformed` for a wrong body. */
export function toCall(
  request: Request,
  routed: Routed,
  { caller, deadline }: Pick<Call, 'caller' | 'deadline'>,
): Call {
  const most = maxBodyBytes(routed.route);
  if (request.body.length > most) {
    throw new ServiceError('too-large', `request payload too large: at most ${most} bytes`);
  }
  return {
    path: routed.params as Call['path'],
    endsInSlash: routed.endsInSlash,
    query: request.query,
    headers: request.headers,
    body: request.body,
    input: inputOf(request, routed) as Call['input'],
    caller,
    address: request.address,
    deadline,
  };
}

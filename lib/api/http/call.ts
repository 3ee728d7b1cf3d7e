import { ServiceError } from '../../domain/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { FamilyName, families, WAY_IN } from '../registry/families.ts';
import type { Route } from '../registry/route.ts';
import type { FamilyOf, IdsOf, InputOf, ParamsOf, RouteId } from '../registry/routes/index.ts';
import { inputs } from '../registry/shapes/inputs.ts';
import { ORIGINAL_BODIES } from '../registry/shapes/original-bodies.ts';
import { authenticate, authorize, type Caller } from './access.ts';
import { decodeJson } from './json-body.ts';
import type { Match } from './match.ts';
import type { Request } from './request.ts';

/** A request that found its route and may use it: what an endpoint gets to see. */
export interface Call<Id extends RouteId = RouteId> {
  readonly path: ParamsOf<Id>;
  /** The path ended in a slash: of secrets, that names a folder. */
  readonly slash: boolean;
  readonly query: Request['query'];
  readonly headers: Request['headers'];
  readonly body: Uint8Array;
  /** The JSON body, checked; undefined for routes without one. */
  readonly input: InputOf<Id>;
  readonly caller: Caller;
}

/** The ports that a family may use: its own needs, those of every Lambda, and those that touch nothing. */
export type NeedsOf<Family extends FamilyName> =
  | (typeof families)[Family]['needs'][number]
  | (typeof WAY_IN)[number]
  | 'settings'
  | 'meter';

/** Answers one route: a JSON value, undefined for nothing, or a RawReply. */
export type Endpoint<Id extends RouteId> = (ports: Pick<Ports, NeedsOf<FamilyOf<Id>>>, call: Call<Id>) => unknown;

/** The endpoints of families; a route that has none yet answers 501. */
export type Endpoints<Family extends FamilyName> = { readonly [Id in IdsOf<Family>]?: Endpoint<Id> };

export type Routed = Extract<Match, { readonly id: RouteId }>;

/** Bodies are as large as this, in bytes, unless their route takes larger ones (rest-api reference, 1.4). */
const LARGEST_BODY = 32 * 1024 * 1024;

/** How large a body a route takes, in bytes. */
export const largestBodyOf = ({ largest = LARGEST_BODY }: Pick<Route, 'largest'>): number => largest;

/** Throws `unauthorized`, `forbidden`. */
export async function admit(ports: Pick<Ports, 'table' | 'vault'>, request: Request, routed: Routed): Promise<Caller> {
  if (routed.route.permission === 'none') return { permission: 'read', namespaces: [] };
  const caller = await authenticate(ports, request);
  authorize(caller, routed.route, routed.params['namespace']);
  return caller;
}

function inputOf(request: Request, { id, route }: Routed): unknown {
  if (route.body !== 'json' || route.input === undefined) return undefined;
  try {
    return decodeJson(request.body, inputs[route.input], route.optional === true, ORIGINAL_BODIES[route.input]);
  } catch (error) {
    // The specification asks 400 of one route, and nobody knows our own by another status; the others keep theirs.
    const isBadRequest = id === 'runJq' || route.from === 'weft';
    if (isBadRequest && error instanceof ServiceError) throw new ServiceError('malformed', error.message);
    throw error;
  }
}

/** Reads what the route wants of the request. Throws `too-large`, and what the body's shape says. */
export function toCall(request: Request, routed: Routed, caller: Caller): Call {
  const largest = largestBodyOf(routed.route);
  if (request.body.length > largest) {
    throw new ServiceError('too-large', `request payload too large: at most ${largest} bytes`);
  }
  return {
    path: routed.params as Call['path'],
    slash: routed.slash,
    query: request.query,
    headers: request.headers,
    body: request.body,
    input: inputOf(request, routed) as Call['input'],
    caller,
  };
}

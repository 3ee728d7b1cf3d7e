import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { GatewaySettings, StreamingHandler } from '../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../lib/adapters/local/reply-stream.ts';
import { type Beside, isConsolePath } from '../../lib/api/console/console.ts';
import { isSitePath } from '../../lib/api/console/site.ts';
import { type Match, matchRoute } from '../../lib/api/http/match.ts';
import type { Reply, StreamedReply } from '../../lib/api/http/reply.ts';
import { type RequestEvent, readBody, toRequestHead } from '../../lib/api/http/request.ts';
import type { LambdaName } from '../../lib/api/registry/families.ts';
import { isFrugal, lambdaOf } from '../../lib/api/registry/route.ts';
import { type Responder, type RouteHandlers, responderOf } from '../../lib/api/responder.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { hasSite } from '../site/preparation.ts';
import { loadConsole } from './access/console.ts';
import { type FollowingSource, followingHandler, isFollowingPath } from './access/following.ts';
import { METRICS_PATH, type MetricsSource, metricsHandler } from './access/metrics.ts';
import type { SignInLinks } from './access/sign-in.ts';
import { siteHandler } from './access/site.ts';

/** The functions that serve requests. */
const FUNCTIONS: { readonly [Name in LambdaName]: () => Promise<RouteHandlers<Name>> } = {
  namespaces: () => import('../../functions/http/namespaces.ts'),
  tree: () => import('../../functions/http/tree.ts'),
  instances: () => import('../../functions/http/instances.ts'),
  workers: () => import('../../functions/http/workers.ts'),
  variables: () => import('../../functions/http/variables.ts'),
  secrets: () => import('../../functions/http/secrets.ts'),
  registries: () => import('../../functions/http/registries.ts'),
  services: () => import('../../functions/http/services.ts'),
  events: () => import('../../functions/http/events.ts'),
  logs: () => import('../../functions/http/logs.ts'),
  metrics: () => import('../../functions/http/metrics.ts'),
  keys: () => import('../../functions/http/keys.ts'),
  system: () => import('../../functions/http/system.ts'),
};

/** The function that replies to a request without a route. */
const FALLBACK: LambdaName = 'system';

type Query = Parameters<GatewaySettings['handlerOf']>[2];

/** The route of each request in progress, by the object of its query: it selects the handler, which needs it too. */
const matches = new WeakMap<Query, Match>();

function matchOf(method: string, path: string, query: Query): Match {
  const match = matches.get(query) ?? matchRoute(method, path, query);
  matches.set(query, match);
  return match;
}

async function send({ status, headers, body }: Reply | StreamedReply, response: ReplyStream): Promise<void> {
  response.begin({ statusCode: status, headers });
  if (body instanceof Readable) {
    await pipeline(body, response);
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  await new Promise<void>((resolve, reject) => {
    response.end(bytes, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}

/** A responder as the gateway calls it. It replies without the parts of a Lambda that only AWS needs. */
function handlerOf(respond: Responder): StreamingHandler {
  return async (event, response, context) => {
    // The gateway makes all three; its types are those of any Lambda.
    const received = event as RequestEvent;
    const { multiValueQueryStringParameters: query } = event as { readonly multiValueQueryStringParameters: Query };
    const head = toRequestHead(received);
    const match = matchOf(head.method, head.path, query);
    const read = (keyId: string, most: number) => readBody(received, keyId, most);
    const parts = { head, readBody: read, enter: received.enter, match };
    const reply = await respond(parts, context as Parameters<Responder>[1]);
    await send(reply, response as ReplyStream);
  };
}

async function loadHandler<Name extends LambdaName>(name: Name, ports: Ports): Promise<StreamingHandler> {
  return handlerOf(responderOf<Name>(await FUNCTIONS[name](), ports, true));
}

/** The pages that only a local service has. */
export interface LocalPages {
  readonly links: SignInLinks;
  readonly metrics: MetricsSource;
  readonly following: FollowingSource;
}

/** Loads the handlers of every route, of the console, the documentation, the metrics and what is followed with these ports, for the gateway. */
export async function loadHandlers(
  ports: Ports,
  { links, metrics, following }: LocalPages,
): Promise<Pick<GatewaySettings, 'handlerOf' | 'isFrugal'>> {
  const names = Object.keys(FUNCTIONS) as LambdaName[];
  const handlers = new Map(
    await Promise.all(names.map(async (name) => [name, await loadHandler(name, ports)] as const)),
  );
  const beside: Readonly<Record<Beside, boolean>> = { docs: hasSite(), sync: following.followed.length > 0 };
  const console = await loadConsole(
    links,
    (['docs', 'sync'] as const).filter((one) => beside[one]),
  );
  const metricsPage = metricsHandler(ports, metrics);
  const site = siteHandler();
  const followingPages = followingHandler(ports, following);
  return {
    isFrugal(method, path, query) {
      if (isConsolePath(path) || isSitePath(path) || path === METRICS_PATH || isFollowingPath(path)) return true;
      const match = matchOf(method, path, query);
      return !('route' in match) || isFrugal(match.route);
    },
    handlerOf(method, path, query) {
      if (isConsolePath(path)) return console;
      if (isSitePath(path)) return site;
      if (path === METRICS_PATH) return metricsPage;
      if (isFollowingPath(path)) return followingPages;
      const match = matchOf(method, path, query);
      const name = 'route' in match ? lambdaOf(match.route) : FALLBACK;
      const handler = handlers.get(name);
      if (handler === undefined) throw new Error(`no function is named ${name}`);
      return handler;
    },
  };
}

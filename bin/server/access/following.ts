import { hash, timingSafeEqual } from 'node:crypto';
import type { StreamingHandler } from '../../../lib/adapters/local/gateway.ts';
import type { ReplyStream } from '../../../lib/adapters/local/reply-stream.ts';
import { logFault } from '../../../lib/api/fault-log.ts';
import {
  type AccessPorts,
  authenticate,
  requireAllNamespaces,
  requirePermission,
  unrestricted,
} from '../../../lib/api/http/access.ts';
import type { Authenticated } from '../../../lib/api/http/caller.ts';
import { jsonWith, type Reply, toErrorReply, UNROUTED } from '../../../lib/api/http/reply.ts';
import { type RequestEvent, type RequestHead, readBody, toRequestHead } from '../../../lib/api/http/request.ts';
import { type AuditedRequest, record } from '../../../lib/domain/audit/entries.ts';
import { ServiceError } from '../../../lib/domain/errors.ts';
import { verify } from '../../../lib/engine/requests/webhooks/verification.ts';
import { ownMember } from '../../../lib/language/own-members.ts';
import type { Ports } from '../../../lib/ports/ports.ts';
import type { Followed } from '../follow/followed.ts';

/** `GET`: what the namespaces follow, or one below it. `POST` of one: look for a new commit now. */
const PATH = '/sync';

/** Whether a path is one of those that say what namespaces follow. */
export const isFollowingPath = (path: string): boolean => path === PATH || path.startsWith(`${PATH}/`);

/** The longest notice of a push that is read, bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What the replies need. */
export interface FollowingSource {
  readonly followed: readonly Followed[];
  /** The environment with the secrets. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Whether the server of the repository sent the request: by the signature of GitHub and Gitea, or the token of GitLab. */
function isSigned(head: RequestHead, body: Uint8Array, secret: string): boolean {
  const token = head.headers['x-gitlab-token'];
  if (token !== undefined) return timingSafeEqual(digest(token), digest(secret));
  const evidence = { secrets: new Map([['secret', secret]]), now: 0 };
  return verify({ ...head, body }, { kind: 'github', secret: 'secret' }, evidence) !== undefined;
}

type Needs = AccessPorts & Pick<Ports, 'clock' | 'settings'>;

interface Asked {
  readonly ports: Needs;
  readonly source: FollowingSource;
  readonly received: RequestEvent;
  readonly head: RequestHead;
}

/** Whether a request has what the server of a repository sends in place of a key. */
const isNotice = ({ headers }: RequestHead): boolean =>
  ['x-hub-signature-256', 'x-gitlab-token'].some((header) => ownMember(headers, header) !== undefined);

const unsigned = (): ServiceError =>
  new ServiceError('unauthorized', 'the signature is not that of the secret of this namespace in WEFT_FOLLOW');

/** The server of a repository. */
const WEBHOOK: Authenticated = { caller: { ...unrestricted('', 'write'), name: 'webhook' }, isAtHome: true };

/** Who asks for a look. Throws `unauthorized` for a stranger. */
async function senderOf({ ports, source, received, head }: Asked, { settings }: Followed): Promise<Authenticated> {
  const { namespace, secret: name = '' } = settings;
  if (!isNotice(head)) return authenticate(ports, head, namespace);
  const secret = ownMember(source.variables, name) ?? '';
  // Without a secret nothing is read for a sender who may be anyone.
  if (secret !== '' && isSigned(head, await readBody(received, `sync ${namespace}`, MAX_BYTES), secret)) return WEBHOOK;
  throw unsigned();
}

/** A reply that the audit log has. The work is done: the reply reports it, also if the entry could not be written. */
async function audited({ ports, head }: Asked, { caller }: Authenticated, namespace: string, reply: Reply) {
  const request: AuditedRequest = {
    actor: caller.name,
    key: caller.id,
    action: 'syncNamespace',
    namespace,
    target: { namespace },
    outcome: reply.status < 400 ? 'done' : 'refused',
    status: reply.status,
    address: head.address,
    forwardedFor: head.headers['x-forwarded-for'] ?? '',
    client: head.headers['user-agent'] ?? '',
  };
  await record(ports, request).catch((error: unknown) => void logFault(error, { namespace }, {}, undefined));
  return reply;
}

function pull(sender: Authenticated, one: Followed): Reply {
  try {
    requirePermission(sender, { permission: 'write' }, one.settings.namespace);
  } catch (error) {
    if (error instanceof ServiceError) return toErrorReply(error);
    throw error;
  }
  one.pull();
  return jsonWith(one.status, {}, 202);
}

type Answer = (asked: Asked, one: Followed) => Promise<Reply>;

/** The replies for one namespace, by method. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  GET: async ({ ports, head }, { settings: { namespace }, status }) => {
    requirePermission(await authenticate(ports, head, namespace), { permission: 'read' }, namespace);
    return jsonWith(status, { 'Cache-Control': 'no-store' });
  },
  POST: async (asked, one) => {
    const sender = await senderOf(asked, one);
    return audited(asked, sender, one.settings.namespace, pull(sender, one));
  },
};

async function list({ ports, source, head }: Asked): Promise<Reply> {
  if (head.method !== 'GET') return UNROUTED[405];
  const authenticated = await authenticate(ports, head, undefined);
  requirePermission(authenticated, { permission: 'read' }, undefined);
  requireAllNamespaces(authenticated.caller, `this list, unlike ${PATH}/NAMESPACE,`);
  return jsonWith({ results: source.followed.map(({ status }) => status) }, { 'Cache-Control': 'no-store' });
}

async function replyTo(asked: Asked): Promise<Reply> {
  const { method, path } = asked.head;
  try {
    if (path === PATH) return await list(asked);
    const answer = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
    if (answer === undefined) return UNROUTED[405];
    const namespace = path.slice(PATH.length + 1);
    const one = asked.source.followed.find(({ settings }) => settings.namespace === namespace);
    if (one !== undefined) return await answer(asked, one);
    // A caller without a key learns no name.
    if (method === 'POST' && isNotice(asked.head)) throw unsigned();
    await authenticate(asked.ports, asked.head, undefined);
    throw new ServiceError('not-found', `the namespace '${namespace.slice(0, 100)}' follows no repository`);
  } catch (error) {
    if (error instanceof ServiceError) return toErrorReply(error);
    throw error;
  }
}

/** What the namespaces of this process follow, as the gateway calls it. */
export function followingHandler(ports: Needs, source: FollowingSource): StreamingHandler {
  return async (event, response) => {
    const received = event as RequestEvent;
    await received.enter?.('');
    const { status, headers, body } = await replyTo({ ports, source, received, head: toRequestHead(received) });
    (response as ReplyStream).begin({ statusCode: status, headers }).end(body);
  };
}

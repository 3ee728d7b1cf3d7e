import { RawReply } from '../../../lib/api/http/reply.ts';
import {
  type Asked,
  decisionOf,
  isDecided,
  type Outcome,
  openByLink,
} from '../../../lib/engine/approvals/decisions.ts';
import { fieldsOf, readFields } from '../../../lib/engine/approvals/form.ts';
import type { Link } from '../../../lib/engine/approvals/links.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { decide } from '../../../lib/engine/requests/deciding.ts';
import { tryParseJson } from '../../../lib/events/payloads.ts';
import { isObject } from '../../../lib/language/json.ts';
import { askPage, closedPage, decidedPage, earlierPage } from './approval-pages.ts';

/** A request to a link. */
export interface LinkRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The IP address of the client. */
  readonly address: string;
}

const MAX_NAME_LENGTH = 200;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

const json = (status: number, value: object): RawReply =>
  new RawReply(JSON.stringify(value), { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }, status);

const nameOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, MAX_NAME_LENGTH) : '');

/** The longest body of a decision, bytes: a form that a person fills in. */
const MAX_BODY_BYTES = 256 * 1024;

/** A JSON object within the bounds of an event, by which the decision reaches its run. */
function parse(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const parsed = tryParseJson(body);
  return 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined;
}

const NO_NAME = 'by: your name is missing';

/** A decision by a program: `{"by": NAME, "form": {...}}` as JSON. */
async function decideByJson(
  ports: RunnerPorts,
  asked: Asked,
  { body: bytes, address }: LinkRequest,
): Promise<RawReply> {
  const body = parse(bytes);
  const form = body?.['form'] ?? {};
  const by = nameOf(body?.['by']);
  if (body === undefined || !isObject(form))
    return json(400, { code: 400, message: 'the body is no JSON object, or nested too deeply' });
  if (by === '') return json(400, { code: 400, message: NO_NAME });
  const outcome = await decide(ports, asked, { by, form, from: address });
  const replies: { readonly [K in Outcome['kind']]: (one: Extract<Outcome, { readonly kind: K }>) => RawReply } = {
    decided: () => json(200, { instance: asked.run.id, choice: asked.choice }),
    earlier: ({ decision }) => json(409, { code: 409, message: 'it was decided before', choice: decision.choice }),
    gone: closedPage,
    invalid: ({ violations }) => json(400, { code: 400, message: violations.join('; '), violations }),
  };
  return (replies[outcome.kind] as (one: Outcome) => RawReply)(outcome);
}

/** A decision by the form of the page. */
async function decideByForm(ports: RunnerPorts, asked: Asked, { body, address }: LinkRequest): Promise<RawReply> {
  const given = new URLSearchParams(Buffer.from(body).toString('utf8'));
  const by = nameOf(given.get('by'));
  if (by === '') return askPage(asked, given, [NO_NAME]);
  const outcome = await decide(ports, asked, { by, form: readFields(fieldsOf(asked.work.form), given), from: address });
  if (outcome.kind === 'invalid') return askPage(asked, given, outcome.violations);
  if (outcome.kind === 'earlier') return earlierPage(asked, outcome.decision);
  return outcome.kind === 'decided' ? decidedPage(asked) : closedPage();
}

/** Serves a link of an approval: GET shows the page and changes nothing, POST decides. */
export async function serveLink(ports: RunnerPorts, link: Link, request: LinkRequest): Promise<RawReply> {
  const asked = await openByLink(ports, link);
  if (asked === undefined) return closedPage();
  const decision = decisionOf(asked.run.wait.listening);
  if (request.method !== 'POST') {
    return isDecided(asked) && decision !== undefined ? earlierPage(asked, decision) : askPage(asked);
  }
  if (request.body.length > MAX_BODY_BYTES) {
    return json(413, { code: 413, message: `request payload too large: at most ${MAX_BODY_BYTES} bytes` });
  }
  const isJson = JSON_TYPE.test(request.headers['content-type'] ?? '');
  return (isJson ? decideByJson : decideByForm)(ports, asked, request);
}

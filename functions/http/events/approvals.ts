import { RawReply } from '../../../lib/api/http/reply.ts';
import {
  type Asked,
  decide,
  decisionOf,
  isDecided,
  type Outcome,
  openByLink,
} from '../../../lib/engine/approvals/decisions.ts';
import { fieldsOf, readFields } from '../../../lib/engine/approvals/form.ts';
import type { Link } from '../../../lib/engine/approvals/links.ts';
import type { EnginePorts } from '../../../lib/engine/ports.ts';
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

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const NO_NAME = 'by: your name is missing';

/** A decision by a program: `{"by": NAME, "form": {...}}` as JSON. */
async function decideByJson(ports: EnginePorts, asked: Asked, text: string, address: string): Promise<RawReply> {
  const body = parse(text);
  const form = body?.['form'] ?? {};
  const by = nameOf(body?.['by']);
  if (body === undefined || !isObject(form)) return json(400, { code: 400, message: 'the body is no JSON object' });
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
async function decideByForm(ports: EnginePorts, asked: Asked, text: string, address: string): Promise<RawReply> {
  const given = new URLSearchParams(text);
  const by = nameOf(given.get('by'));
  if (by === '') return askPage(asked, given, [NO_NAME]);
  const outcome = await decide(ports, asked, { by, form: readFields(fieldsOf(asked.work.form), given), from: address });
  if (outcome.kind === 'invalid') return askPage(asked, given, outcome.violations);
  if (outcome.kind === 'earlier') return earlierPage(asked, outcome.decision);
  return outcome.kind === 'decided' ? decidedPage(asked) : closedPage();
}

/** Serves a link of an approval: GET shows the page and changes nothing, POST decides. */
export async function serveLink(ports: EnginePorts, link: Link, request: LinkRequest): Promise<RawReply> {
  const asked = await openByLink(ports, link);
  if (asked === undefined) return closedPage();
  const decision = decisionOf(asked.run.wait.listening);
  if (request.method !== 'POST') {
    return isDecided(asked) && decision !== undefined ? earlierPage(asked, decision) : askPage(asked);
  }
  const text = Buffer.from(request.body).toString('utf8');
  const isJson = JSON_TYPE.test(request.headers['content-type'] ?? '');
  return (isJson ? decideByJson : decideByForm)(ports, asked, text, request.address);
}

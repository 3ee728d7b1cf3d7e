import { compile } from '../../../lib/compiler/compile.ts';
import type { WebhookStart, WebhookVerification } from '../../../lib/compiler/plan/webhooks.ts';
import { curlLine, variableOf } from '../../../lib/engine/requests/webhooks/curl.ts';
import { bytesAt, textAt } from '../client/replies.ts';
import { openNamespace, readList, type Service, treePath } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { CommandFailedError, defineCommand, needArguments, result, toTable } from '../shell/command.ts';

const OPTIONS = {
  data: { type: 'string', value: 'TEXT', help: 'the body in the curl line (default: {})' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

interface Webhook {
  readonly workflow: string;
  readonly url: string;
  readonly start: WebhookStart;
}

/** A namespace of a service. */
interface Home {
  readonly service: Service;
  readonly namespace: string;
}

const urlOf = ({ service, namespace }: Home, path: string): string =>
  [
    service.url.replace(/\/$/, ''),
    'api/hooks',
    ...[namespace, ...path.split('/')].filter(Boolean).map(encodeURIComponent),
  ].join('/');

/** The webhook of a workflow; undefined for a directory and for a workflow with another start. */
async function find(home: Home, path: string): Promise<Webhook | undefined> {
  const reply = await home.service.call('GET', treePath(home.namespace, path));
  if (textAt(reply, 'node', 'type') !== 'workflow') return undefined;
  const compiled = compile(bytesAt(reply, 'revision', 'source').toString('utf8'));
  const start = 'plan' in compiled ? compiled.plan.start : undefined;
  if (start?.type !== 'webhook') return undefined;
  return { workflow: textAt(reply, 'node', 'path'), url: urlOf(home, path), start };
}

/** The webhooks of a directory and of those below it. */
async function findAll(home: Home, directory: string): Promise<Webhook[]> {
  const nodes = (await readList(home.service, treePath(home.namespace, directory), 'children')) ?? [];
  const found: Webhook[] = [];
  for (const node of nodes) {
    const path = textAt(node, 'path');
    if (textAt(node, 'type') === 'directory') found.push(...(await findAll(home, path)));
    else found.push(...[await find(home, path)].filter((one) => one !== undefined));
  }
  return found;
}

const secretOf = (verify: WebhookVerification): string | undefined => {
  if (verify.kind === 'none') return undefined;
  return verify.kind === 'basic' ? verify.password : verify.secret;
};

function describe({ url, start }: Webhook, body: string): string {
  const secret = secretOf(start.verify);
  const hint = secret === undefined ? [] : [`export ${variableOf(secret)}=   # the value of the secret ${secret}`];
  return [url, '', ...hint, curlLine(url, start.verify, body)].join('\n');
}

export const webhooks = defineCommand({
  about: 'Lists the webhooks of a namespace; for one workflow, prints its URL and a signed curl line',
  usage: ['webhooks [PATH] [--data TEXT]'],
  notes: ['The curl line is for a POSIX shell with openssl. It reads the secret from a variable of that name.'],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('webhooks', ['[PATH]'], args);
    const home = await openNamespace(values, terminal);
    const [path] = args;
    if (path === undefined) {
      const all = await findAll(home, '');
      const rows = all.map(({ workflow, url, start }) => [workflow, start.verify.kind, url]);
      return result(values, all, () => toTable([['WORKFLOW', 'VERIFIED BY', 'URL'], ...rows]));
    }
    const webhook = await find(home, path);
    if (webhook === undefined) throw new CommandFailedError(`'${path}' has no webhook: its start has another type`);
    const { start, url } = webhook;
    const body = values.data ?? '{}';
    return result(values, { ...webhook, curl: curlLine(url, start.verify, body) }, () => describe(webhook, body));
  },
});

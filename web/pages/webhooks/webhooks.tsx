import type { WebhooksReply } from '../../../clients/api/operations.ts';
import { SERVICE_URL } from '../../data/api/client.ts';
import { useLoad } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { count } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Empty, ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { WorkflowLink } from '../../parts/value/links.tsx';
import { CopyButton } from '../../parts/value/value.tsx';

type Webhook = WebhooksReply['webhooks'][number];

const VERIFICATIONS: Readonly<Record<Webhook['verification'], string>> = {
  github: 'signature of GitHub',
  stripe: 'signature of Stripe',
  slack: 'signature of Slack',
  standard: 'signature of Standard Webhooks',
  hmac: 'HMAC in a header',
  basic: 'user and password',
  url: 'secret in the URL',
  none: 'not verified',
};

/** The reason why a webhook rejects requests; empty if it accepts them. */
function lackOf({ live, secret }: Webhook): string {
  if (!live) return 'the workflow is disabled';
  return secret === undefined || secret.initialized ? '' : `the secret ${secret.name} has no value`;
}

/** The URL for senders; if the service does not know its own address, it is that of this page. */
const urlOf = ({ url }: Webhook): string => new URL(url.replace(/^\//, ''), SERVICE_URL).href;

function State({ webhook }: { readonly webhook: Webhook }) {
  const lack = lackOf(webhook);
  return lack === '' ? <span class="quiet">takes requests</span> : <span class="is-failed">{lack}</span>;
}

const COLUMNS: readonly Column<Webhook>[] = [
  { name: 'Workflow', width: 'minmax(140px, 1fr)', cell: ({ workflow }) => <span class="strong">{workflow}</span> },
  {
    name: 'Verified by',
    width: 'minmax(130px, 0.8fr)',
    cell: ({ verification }) => (
      <span class={verification === 'none' ? 'is-retrying' : 'quiet'}>{VERIFICATIONS[verification]}</span>
    ),
  },
  {
    name: 'URL',
    width: 'minmax(200px, 2fr)',
    cell: (webhook) => (
      <span class="line">
        <code class="cut">{urlOf(webhook)}</code>
        <CopyButton text={urlOf(webhook)} label={`Copy the URL of ${webhook.workflow}`} />
      </span>
    ),
  },
  { name: 'State', width: 'minmax(140px, 1fr)', cell: (webhook) => <State webhook={webhook} /> },
];

/** The shell command with the URL and a variable for the secret. */
function lineOf(webhook: Webhook): string {
  const { secret, curl } = webhook;
  const variable =
    secret === undefined ? '' : `export ${secret.variable}=   # the value of the secret ${secret.name}\n`;
  return `${variable}url='${urlOf(webhook).replaceAll("'", "'\\''")}'; ${curl}`;
}

function Facts({ namespace, webhook }: { readonly namespace: string; readonly webhook: Webhook }) {
  const { workflow, verification, secret, reply, event } = webhook;
  return (
    <dl class="facts">
      <dt>Workflow</dt>
      <dd>
        <WorkflowLink {...{ namespace, workflow }} />
      </dd>
      <dt>Verified by</dt>
      <dd>{VERIFICATIONS[verification]}</dd>
      {secret !== undefined && (
        <>
          <dt>Secret</dt>
          <dd>
            <a class="link" href={addresses.secrets(namespace)}>
              {secret.name}
            </a>
            {!secret.initialized && ', without a value'}
          </dd>
        </>
      )}
      <dt>A request</dt>
      <dd>
        {event === undefined ? 'starts a run' : 'is sent as the event '}
        {event !== undefined && <code>{event}</code>}
        {event === undefined && (reply === 'wait' ? ', and the reply is its output' : ', and is answered at once')}
      </dd>
    </dl>
  );
}

function Detail({ namespace, webhook }: { readonly namespace: string; readonly webhook: Webhook }) {
  const { workflow, verification } = webhook;
  const lack = lackOf(webhook);
  return (
    <div class="stack">
      {lack !== '' && <Remark icon="warning">Every request gets the status 404: {lack}.</Remark>}
      {verification === 'none' && (
        <Remark icon="warning">Nothing is verified: everyone who knows the URL starts runs.</Remark>
      )}
      <h2 class="minor">URL</h2>
      <div class="shell-line">
        <span class="grows">{urlOf(webhook)}</span>
        <CopyButton text={urlOf(webhook)} label="Copy the URL" />
      </div>
      <h2 class="minor">A signed request, for a shell with curl and openssl</h2>
      <div class="shell-line">
        <span class="grows">{lineOf(webhook)}</span>
        <CopyButton text={lineOf(webhook)} label="Copy the request" />
      </div>
      <Facts namespace={namespace} webhook={webhook} />
      <p>
        <a class="link" href={addresses.runs(namespace, { workflow })}>
          Runs of this workflow
        </a>
      </p>
    </div>
  );
}

const START = 'start: {type: webhook, verify: {github: HOOK_SECRET}}';

function NoWebhooks({ namespace }: { readonly namespace: string }) {
  return (
    <Empty
      icon="webhooks"
      title="No workflow has a webhook"
      action={
        may('createWorkflow') && (
          <ButtonLink kind="primary" href={addresses.tree(namespace)}>
            Open a workflow
          </ButtonLink>
        )
      }
    >
      <p>A workflow with this start has a URL of its own, for requests of GitHub, Stripe, Slack and others:</p>
      <p class="line">
        <code>{START}</code>
        <CopyButton text={START} label="Copy the start" />
      </p>
    </Empty>
  );
}

/** The webhooks of a namespace: their URLs, verifications, and commands that send a request. */
export function WebhooksPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const { value, error } = useLoad('listWebhooks', { namespace });
  const webhooks = value.value?.webhooks;
  const chosen = place.value.query.get('workflow');
  const webhook = webhooks?.find(({ workflow }) => workflow === chosen);
  return (
    <div class="page">
      <Head
        title="Webhooks"
        name={`Webhooks of ${namespace}`}
        detail={webhooks !== undefined && <span>{count(webhooks.length, 'webhook')}</span>}
      />
      {error.value && <ErrorNote title="The webhooks cannot be listed" error={error.value} />}
      {webhooks === undefined && !error.value && <Skeleton lines={4} />}
      {value.value?.complete === false && (
        <Remark>The namespace has more than 5,000 workflows: webhooks of the others are not listed.</Remark>
      )}
      {webhooks?.length === 0 && <NoWebhooks namespace={namespace} />}
      {webhooks !== undefined && webhooks.length > 0 && (
        <Table
          label="Webhooks"
          columns={COLUMNS}
          rows={webhooks}
          keyOf={({ workflow }) => workflow}
          hrefOf={({ workflow }) => addresses.webhooks(namespace, { workflow })}
          isChosen={({ workflow }) => workflow === chosen}
          narrow={(one) => (
            <span class="two-lines">
              <span class="strong cut">{one.workflow}</span>
              <span class="quiet">{VERIFICATIONS[one.verification]}</span>
              <State webhook={one} />
            </span>
          )}
        />
      )}
      {webhook !== undefined && (
        <Inspector
          key={webhook.workflow}
          title={webhook.workflow}
          label="Webhook"
          onClose={() => setQuery({ workflow: undefined })}
        >
          <Detail namespace={namespace} webhook={webhook} />
        </Inspector>
      )}
    </div>
  );
}

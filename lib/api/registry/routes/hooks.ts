import type { Route } from '../route.ts';

/** Senders need no key: the workflow of a webhook defines how its requests are verified, and links are signed. */
const HOOK = {
  family: 'hooks',
  path: '/hooks/{hook+}',
  reply: 'bytes',
  permission: 'none',
  unversioned: true,
  from: 'weft',
} as const;

/** More than senders of webhooks use. The data of a run contains the body twice. */
const BODY = { body: 'bytes', optional: true, maxBytes: 4 * 1024 * 1024 } as const;

export const hooks = {
  listWebhooks: {
    family: 'hooks',
    method: 'GET',
    path: '/namespaces/{namespace}/webhooks',
    reply: 'webhooks',
    permission: 'read',
    unversioned: true,
    from: 'weft',
    about:
      'Lists the webhooks among the first 5,000 workflows of a namespace, each with its URL and a shell line that sends a signed request.',
  },
  receiveWebhook: {
    ...HOOK,
    ...BODY,
    method: 'POST',
    about: 'Starts the workflow of a webhook, `NAMESPACE/PATH`, or decides an approval by its link.',
  },
  receiveWebhookByGet: { ...HOOK, method: 'GET', about: 'As POST; of a link, shows the page.' },
  receiveWebhookByPut: { ...HOOK, ...BODY, method: 'PUT', about: 'As POST.' },
} as const satisfies Record<string, Route>;

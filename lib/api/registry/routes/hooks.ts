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
  },
  receiveWebhook: {
    ...HOOK,
    ...BODY,
    method: 'POST',
  },
  receiveWebhookByGet: { ...HOOK, method: 'GET' },
  receiveWebhookByPut: { ...HOOK, ...BODY, method: 'PUT' },
} as const satisfies Record<string, Route>;

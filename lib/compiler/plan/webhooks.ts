/** How the requests to a webhook are verified. Secrets are named; their values are read when a request comes. */
export type WebhookVerification =
  /** The signatures of GitHub, Stripe and Slack, and of Standard Webhooks. */
  | { readonly kind: 'github' | 'stripe' | 'slack' | 'standard'; readonly secret: string }
  | HmacVerification
  /** Basic authentication (RFC 7617). */
  | { readonly kind: 'basic'; readonly user: string; readonly password: string; readonly delivery?: string }
  /** The secret is the query parameter `secret` of the URL. */
  | { readonly kind: 'url'; readonly secret: string; readonly delivery?: string }
  | { readonly kind: 'none' };

/** An HMAC over the body, or over `<timestamp>.<body>` if the request has a timestamp. */
export interface HmacVerification {
  readonly kind: 'hmac';
  readonly secret: string;
  /** The header with the signature. */
  readonly header: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** The text before the signature in the header. */
  readonly prefix: string;
  /** The header with the time of the request, in seconds since 1970. */
  readonly timestamp?: string;
  /** How far the time of the request may be from the present, an ISO 8601 duration. */
  readonly tolerance: string;
  /** The header with the id of the delivery. */
  readonly delivery?: string;
}

/** A start by requests to a URL of the workflow (docs/webhooks.md). */
export interface WebhookStart {
  readonly type: 'webhook';
  readonly verify: WebhookVerification;
  /** The sender waits for the end of the run, and its output is the reply. */
  readonly reply?: 'wait';
  /** Each request is sent to the namespace as an event and starts no run. The context has queries, evaluated over the request. */
  readonly event?: { readonly type: string; readonly context: Readonly<Record<string, unknown>> };
}

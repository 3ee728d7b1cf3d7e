import type { AwsSigning } from '../../ports/callees/web.ts';

/** How the token of a request is obtained: by the client credentials of OAuth 2 (RFC 6749, 4.4). */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
}

/** A request of a workflow with all its values, as JSON; stored, sealed, for a call that is made later. */
export interface PreparedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that only the origin of the URL gets. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly oauth?: OAuthClient;
  readonly signing?: AwsSigning;
  readonly body?: string;
  /** How `body` is written; UTF-8 by default. */
  readonly bodyEncoding?: 'base64';
  /** The time for the call, milliseconds. */
  readonly ms: number;
  /** Statuses, and texts such as `2xx`. */
  readonly expect: readonly (number | string)[];
  readonly redirects: number;
  readonly isInsecure: boolean;
  /** The secrets that the request may contain, which no message shows. */
  readonly secrets: readonly string[];
}

/** The reply of a server on the web. */
export interface WebAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body, at most 64 KiB. */
  readonly body: string;
}

/** Why a request got no response that can be used, by its cause. */
export type WebProblem =
  /** The request cannot be sent as it is. */
  | 'request'
  /** The address is protected from users. */
  | 'blocked'
  /** The name of the host has no address. */
  | 'dns'
  /** No server accepts connections there. */
  | 'refused'
  /** The TLS handshake failed, or the certificate is not valid for the host. */
  | 'tls'
  | 'timeout'
  /** The connection broke. */
  | 'connection'
  /** More redirects than allowed, or one that cannot be followed. */
  | 'redirects'
  | 'tooLarge'
  /** The response breaks its protocol or its encoding. */
  | 'response';

/** A server did not reply; the message names the cause for the user, and contains nothing of the request but the host. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  readonly problem: WebProblem;
  constructor(message: string, problem: WebProblem = 'connection') {
    super(message);
    this.problem = problem;
  }
}

/** The credentials of AWS with which a request is signed (Signature Version 4). */
export interface AwsSigning {
  readonly service: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A request of a workflow. */
export interface WebRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that only the origin of the URL gets: a redirect to another origin drops them. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly signing?: AwsSigning;
  readonly body?: Uint8Array;
  /** The time for the whole exchange with all redirects, milliseconds. */
  readonly ms: number;
  /** The most bytes of the response's body, after decompression. */
  readonly maxBytes: number;
  /** The most redirects that are followed. */
  readonly redirects: number;
  /** Whether certificates are not verified. */
  readonly isInsecure: boolean;
  /** The protected hosts and address ranges that the namespace's administrators opened; read only for a protected address. */
  readonly opened: () => Promise<readonly string[]>;
  readonly signal?: AbortSignal;
}

/** A complete response. */
export interface WebResponse {
  readonly status: number;
  /** Names in lower case. `set-cookie` is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Decompressed. */
  readonly body: Uint8Array;
}

/** A server that accepts mails (SMTP). */
export interface MailServer {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** `implicit`: the connection begins with TLS; `required`: by STARTTLS; `offered`: by STARTTLS where the server offers it. */
  readonly tls: 'implicit' | 'required' | 'offered';
  /** Sent over TLS alone, with a certificate that is valid for the host, unless `isInsecure`. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Whether certificates are not verified, and a login may be sent without TLS. */
  readonly isInsecure: boolean;
}

/** A file in a mail. */
export interface Attachment {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The id by which the HTML shows it (`cid:`); without it, it is an attachment. */
  readonly contentId?: string;
}

/** The most bytes of all attachments of a mail: it is composed within the process that serves all tenants. */
export const MAX_ATTACHED_BYTES = 25 * 1024 * 1024;

/** A mail. Addresses are as RFC 5322 writes them: `Ada <ada@example.com>`. */
export interface Mail {
  /** The value of the header `Message-ID`. */
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo?: readonly string[];
  readonly subject: string;
  /** The mail as plain text, as HTML, or as both, of which a reader shows one. */
  readonly text?: string;
  readonly html?: string;
  readonly attachments: readonly Attachment[];
}

/** Mails for one server, which are sent over one connection in their order. */
export interface MailRequest {
  readonly server: MailServer;
  readonly mails: readonly Mail[];
  /** The time for all of it, milliseconds. */
  readonly ms: number;
  /** The protected hosts and address ranges that the namespace's administrators opened; read only for a protected address. */
  readonly opened: () => Promise<readonly string[]>;
  readonly signal?: AbortSignal;
}

/** Why a mail was not sent, or not to all of its recipients. */
export type MailProblem =
  /** The mail cannot be sent as it is. */
  | 'invalid'
  /** The server does not accept the login. */
  | 'login'
  /** A permanent reply of the server (5yz; RFC 5321, 4.2.1). */
  | 'rejected'
  /** A transient reply of the server (4yz): a later attempt may succeed. */
  | 'deferred'
  /** The server refused some of the recipients; the others get the mail. */
  | 'partial';

/** A mail is invalid, or the server refused it, its sender, its recipients or a login. The message is for the user. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
  readonly problem: MailProblem;
  constructor(message: string, problem: MailProblem = 'rejected') {
    super(message);
    this.problem = problem;
  }
}

/** Sends requests and mails to servers that users name. */
export interface Web {
  /**
   * A redirect is a reply; it is not followed. Throws UnreachableError, also for an address that users may not reach, and
   * after `ms` milliseconds.
   */
  get(url: string, headers: Readonly<Record<string, string>>, ms: number): Promise<WebAnswer>;
  /** Sends a request, follows redirects, and reads the response. Throws UnreachableError. */
  send(request: WebRequest): Promise<WebResponse>;
  /**
   * Sends mails by SMTP. Throws UnreachableError, and MailRefusedError for what the server refuses; mails before the
   * refused one have been sent.
   */
  deliver(request: MailRequest): Promise<void>;
}

/** The mail of a mail function: queries, evaluated as one over the data of the action (docs/mail.md). */
export interface MailPlan {
  readonly from?: unknown;
  readonly replyTo?: unknown;
  readonly to?: unknown;
  readonly cc?: unknown;
  readonly bcc?: unknown;
  readonly subject?: unknown;
  readonly text?: unknown;
  readonly html?: unknown;
  readonly attachments?: unknown;
  /** An ISO 8601 duration. */
  readonly timeout?: unknown;
}

/** A server that accepts mails (SMTP), as a function or a namespace names it. */
export interface MailServerPlan {
  readonly host: string;
  /** Absent: 587, the port of submission (RFC 6409). */
  readonly port?: number;
  /** Absent: `implicit` on port 465; elsewhere STARTTLS, which is required for a login. */
  readonly tls?: 'implicit' | 'starttls';
  /** Certificates are not verified, and a login may be sent without TLS. */
  readonly insecure?: boolean;
  /** The name of the secret with the user; without it and `password`, there is no login. */
  readonly user?: string;
  /** The name of the secret with the password. */
  readonly password?: string;
}

/** A function that sends mails. Without `server`, they are sent by that of the namespace. */
export interface MailFunctionPlan {
  readonly type: 'mail';
  readonly mail: MailPlan;
  readonly server?: MailServerPlan;
}

/** The fields of a mail that a function and the input of an action may set. */
export const MAIL_FIELDS = [
  'from',
  'replyTo',
  'to',
  'cc',
  'bcc',
  'subject',
  'text',
  'html',
  'attachments',
  'timeout',
] as const satisfies readonly (keyof MailPlan)[];

/** The fields of an attachment. */
export const ATTACHMENT_FIELDS = ['name', 'scope', 'as'] as const;

const DEFAULT_PORT = 587;
/** The port of TLS from the start of the connection (RFC 8314). */
export const TLS_PORT = 465;

/** The port of a server. */
export const portOf = ({ port = DEFAULT_PORT }: Pick<MailServerPlan, 'port'>): number => port;

/** How the connection to a server is encrypted: from its start, by STARTTLS, or by STARTTLS where the server offers it. */
export function tlsOf(server: Pick<MailServerPlan, 'port' | 'tls'>): 'implicit' | 'required' | 'offered' {
  const tls = server.tls ?? (portOf(server) === TLS_PORT ? 'implicit' : undefined);
  return tls === 'starttls' ? 'required' : (tls ?? 'offered');
}

const HOST = /^[A-Za-z0-9_.:-]{1,253}$/;

/** What is wrong with a server: the field and the rule; undefined: nothing. */
export function mailServerProblem({
  host,
  port,
  user,
  password,
}: MailServerPlan): { readonly field: 'host' | 'port' | 'user' | 'password'; readonly rule: string } | undefined {
  if (!HOST.test(host)) return { field: 'host', rule: 'must be the name or the address of a server' };
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    return { field: 'port', rule: 'must be a number from 1 to 65535' };
  if (user !== undefined && password === undefined)
    return { field: 'password', rule: 'required beside user: both are names of secrets' };
  if (user === undefined && password !== undefined)
    return { field: 'user', rule: 'required beside password: both are names of secrets' };
  return undefined;
}

/** An address of a mail: the mailbox, and the name that is shown with it. */
export interface MailAddress {
  readonly name: string;
  readonly mailbox: string;
}

/** The longest address, characters: a name, and the 254 of a mailbox (RFC 5321, 4.5.3.1). */
const MAX_ADDRESS = 1_000;
const MAX_MAILBOX = 254;

// Without spaces, control characters, and the characters that end an address or begin another one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const MAILBOX = /^[^\s\u0000-\u001f\u007f@<>()[\],;:"\\]+@[^\s\u0000-\u001f\u007f@<>()[\],;:"\\]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are refused
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/;

const unquoted = (name: string): string => (/^".*"$/.test(name) ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name);

/** The address in a text, `ada@example.com` or `Ada <ada@example.com>`; undefined for a text that is not one address. */
export function parseMailAddress(text: unknown): MailAddress | undefined {
  if (typeof text !== 'string' || text.length > MAX_ADDRESS || CONTROL.test(text)) return undefined;
  const given = text.trim();
  const open = given.lastIndexOf('<');
  const isNamed = open >= 0 && given.endsWith('>');
  const mailbox = isNamed ? given.slice(open + 1, -1).trim() : given;
  if (mailbox.length > MAX_MAILBOX || !MAILBOX.test(mailbox)) return undefined;
  return { name: isNamed ? unquoted(given.slice(0, open).trim()) : '', mailbox };
}

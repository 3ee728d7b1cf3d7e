import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  MAX_ATTACHED_BYTES,
  type Mail,
  type MailProblem,
  MailRefusedError,
  type MailRequest,
  type MailServer,
  UnreachableError,
} from '../ports/callees/web.ts';
import type { EgressGuard } from './guard.ts';
import { toUnreachable, unreachable } from './problems.ts';
import type * as smtp from './smtp.ts';

/** Few workflows send mails: a bundle has the library in a file of its own, beside it. */
const loadSmtp = (): Promise<typeof smtp> => {
  const file = import.meta.url.endsWith('.ts') ? './smtp.ts' : './smtp.mjs';
  return import(new URL(file, import.meta.url).href) as Promise<typeof smtp>;
};

/**
 * Sends mails by SMTP through the guard: the connection is made to addresses that it has checked. Throws UnreachableError
 * for a fault of the network, and MailRefusedError for a mail that the server refuses or that is invalid.
 */
export async function deliver(guard: EgressGuard, request: MailRequest): Promise<void> {
  const { server, mails, ms, signal: stop } = request;
  const deadline = AbortSignal.timeout(Math.max(Math.floor(ms), 1));
  const signal = stop === undefined ? deadline : AbortSignal.any([deadline, stop]);
  for (const mail of mails) {
    checkHeaders(mail);
    checkSize(mail);
  }
  try {
    // Before the connection, whose events would be missed meanwhile.
    const { sendMails } = await loadSmtp();
    const socket = await openConnection(guard, request, signal);
    const destroy = () => void socket.destroy();
    signal.addEventListener('abort', destroy);
    try {
      await sendMails({ socket, server, mails, ms: Math.max(Math.floor(ms), 1) });
    } finally {
      signal.removeEventListener('abort', destroy);
      socket.destroySoon();
    }
  } catch (error) {
    throw toProblem(server.host, error, deadline.aborted);
  }
}

const LINE_BREAK = /[\r\n\0]/;

/** Throws MailRefusedError for a line break in the text of a header: it would add headers or recipients. */
function checkHeaders({ id, from, to, cc, bcc, replyTo = [], subject, attachments }: Mail): void {
  const names = attachments.flatMap(({ name, contentId = '' }) => [name, contentId]);
  const fields = { id, from, to, cc, bcc, replyTo, subject, attachments: names };
  for (const [field, texts] of Object.entries(fields)) {
    if ([texts].flat().some((text) => LINE_BREAK.test(text)))
      throw new MailRefusedError(`'${field}' of a mail must not contain line breaks`, 'invalid');
  }
}

/** The limits of a mail: it is composed within the process that serves all tenants, and servers accept no more. */
const MAX_MAIL = {
  recipients: 1_000,
  attachments: 100,
  'characters in its headers': 100_000,
  'characters in its text': 4 * 1024 * 1024,
  'bytes in its attachments': MAX_ATTACHED_BYTES,
};

const total = (lengths: readonly number[]): number => lengths.reduce((sum, length) => sum + length, 0);

/** Throws MailRefusedError for a mail that is too large. */
function checkSize({ from, to, cc, bcc, replyTo = [], subject, text = '', html = '', attachments }: Mail): void {
  const addresses = [...to, ...cc, ...bcc];
  const headers = [from, ...addresses, ...replyTo, subject, ...attachments.map(({ name }) => name)];
  const sizes: Record<keyof typeof MAX_MAIL, number> = {
    // A text can name several, which commas divide.
    recipients: addresses.join().split(',').length,
    attachments: attachments.length,
    'characters in its headers': total(headers.map((text) => text.length)),
    'characters in its text': text.length + html.length,
    'bytes in its attachments': total(attachments.map(({ bytes }) => bytes.length)),
  };
  for (const [what, most] of Object.entries(MAX_MAIL)) {
    const size = sizes[what as keyof typeof MAX_MAIL];
    if (size > most)
      throw new MailRefusedError(`a mail has at most ${most} ${what}, and this one has ${size}`, 'invalid');
  }
}

async function openConnection(guard: EgressGuard, request: MailRequest, signal: AbortSignal): Promise<Socket> {
  try {
    return await connect(guard, request.server, signal);
  } catch (error) {
    if (!(error instanceof UnreachableError) || error.problem !== 'blocked') throw error;
    // No data was sent. The rules of the namespace are read only now, since few servers need them.
    return connect(guard, request.server, signal, await request.opened());
  }
}

async function connect(
  guard: EgressGuard,
  { host, port, tls, isInsecure }: MailServer,
  signal: AbortSignal,
  opened?: readonly string[],
): Promise<Socket> {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  if (url === null || url.pathname !== '/' || url.username !== '')
    throw unreachable(host, 'request', 'ERR_INVALID_URL');
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const options = { host: name, port, lookup: guard.lookupFor(url, opened) };
  const servername = isIP(name) === 0 ? { servername: name } : {};
  const isTls = tls === 'implicit';
  const socket = isTls
    ? connectTls({ ...options, ...servername, rejectUnauthorized: !isInsecure })
    : connectPlain(options);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    // A socket that is destroyed while it connects may still fail.
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

/** The fields of an error of Nodemailer. */
interface SmtpError extends Error {
  readonly code?: string;
  /** The code of the network or of TLS that Nodemailer replaced by its own. */
  readonly originalCode?: string;
  /** The reply of the server. */
  readonly response?: string;
  readonly command?: string;
}

/** The code of a reply, such as 550. */
const REPLY_CODE_LENGTH = 3;
/** The longest reply of a server that an error shows, characters. */
const MAX_REPLY = 500;

/** Errors of Nodemailer about a login, and about a mail. */
const LOGIN: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH']);
const INVALID: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE']);

/** The problem that a reply of a server is, by its code. */
function problemOfReply(response: string, isLogin: boolean): MailProblem {
  if (/^4\d\d/.test(response)) return 'deferred';
  return isLogin ? 'login' : 'rejected';
}

function toProblem(host: string, error: unknown, hasTimedOut: boolean): Error {
  if (error instanceof UnreachableError || hasTimedOut) return toUnreachable(host, error, hasTimedOut);
  const { name, message, code = '', originalCode, response, command } = error as SmtpError;
  if (name === 'PartlyRefusedError')
    return new MailRefusedError(`'${host}' refused recipients: ${shortened(message)}`, 'partial');
  if (code === 'ETLS') return unreachable(host, 'tls', originalCode ?? shortened(message));
  if (response !== undefined && !/^\d{3}/.test(response)) return unreachable(host, 'response', 'no SMTP');
  if (response !== undefined) {
    // A server may repeat what it does not understand: of a login, only the code is shown.
    const isLogin = LOGIN.has(code) || command?.startsWith('AUTH') === true;
    const shown = isLogin ? response.slice(0, REPLY_CODE_LENGTH) : shortened(response);
    return new MailRefusedError(`'${host}' refused ${command ?? 'it'}: ${shown}`, problemOfReply(response, isLogin));
  }
  if (LOGIN.has(code)) return new MailRefusedError(`the mail cannot be sent: ${shortened(message)}`, 'login');
  if (INVALID.has(code)) return new MailRefusedError(`the mail cannot be sent: ${shortened(message)}`, 'invalid');
  if (code === 'EPROTOCOL') return unreachable(host, 'response', 'no SMTP');
  return toUnreachable(host, originalCode === undefined ? error : { code: originalCode }, hasTimedOut);
}

const shortened = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MAX_REPLY);

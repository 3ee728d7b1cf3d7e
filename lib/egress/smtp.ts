import type { Socket } from 'node:net';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Mail, MailServer } from '../ports/callees/web.ts';

/** The mails of a session of SMTP, and the connection to their server. */
export interface SmtpSession {
  /** Connected, and with TLS if the server wants it from the start. */
  readonly socket: Socket;
  readonly server: MailServer;
  readonly mails: readonly Mail[];
  /** The time until any step of the session fails, milliseconds. */
  readonly ms: number;
}

/** A mail that some recipients got and others did not. */
export class PartlyRefusedError extends Error {
  override readonly name = 'PartlyRefusedError';
}

/**
 * Sends mails over a connection, one after the other, and ends the session. Rejects with the error of Nodemailer, which has
 * the `response` of a server that refuses, and with PartlyRefusedError.
 */
export async function sendMails({ socket, server, mails, ms }: SmtpSession): Promise<void> {
  const { host, tls, login, isInsecure } = server;
  const needsTls = tls === 'required' || (login !== undefined && !isInsecure);
  const connection = new SMTPConnection({
    host,
    connection: socket,
    secure: tls === 'implicit',
    secured: tls === 'implicit',
    // The server does not get the name of this machine.
    name: '[127.0.0.1]',
    requireTLS: needsTls,
    // Where TLS is only offered, an unverified connection is better than the plain one that would be used otherwise (RFC 7435).
    tls: { rejectUnauthorized: needsTls && !isInsecure },
    connectionTimeout: ms,
    greetingTimeout: ms,
    socketTimeout: ms,
    // A server must not occupy the memory.
    maxResponseSize: 64 * 1024,
  });
  limitReplies(connection);
  const broken = new Promise<never>((_resolve, reject) => {
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('the server closed the connection')));
  });
  const step = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([
      broken,
      new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve()))),
    ]);
  try {
    await step((done) => connection.connect(done));
    if (login !== undefined) await step((done) => connection.login({ user: login.user, pass: login.password }, done));
    for (const mail of mails) await sendMail(connection, step, mail);
    connection.quit();
  } finally {
    broken.catch(() => undefined);
    connection.close();
  }
}

/** The most bytes that a server sends in a session: it replies to at most a thousand recipients of a mail. */
const MAX_RECEIVED = 1024 * 1024;
/** The longest reply about a recipient that is kept, characters. */
const MAX_REFUSAL = 200;

/** The part of Nodemailer's connection that reads replies. */
interface Reader {
  _onData(chunk: Buffer): void;
  _responseQueue: string[];
}

/** Ends a session whose server sends too much: Nodemailer limits the length of a reply, and keeps any number of them. */
function limitReplies(connection: SMTPConnection): void {
  const reader = connection as unknown as Reader;
  const read = reader._onData.bind(connection);
  let [received, isOver] = [0, false];
  reader._onData = (chunk) => {
    received += chunk.length;
    if (received <= MAX_RECEIVED) {
      read(chunk);
      return;
    }
    if (isOver) return;
    isOver = true;
    reader._responseQueue.length = 0;
    connection.emit('error', Object.assign(new Error('the server sends too much'), { code: 'EPROTOCOL' }));
    connection.close();
  };
}

type Step = (begin: (done: (error?: Error | null) => void) => void) => Promise<void>;

async function sendMail(connection: SMTPConnection, step: Step, mail: Mail): Promise<void> {
  const { id, from, to, cc, bcc, replyTo, subject, text, html, attachments } = mail;
  const composed = new MailComposer({
    messageId: id,
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    ...(replyTo === undefined ? {} : { replyTo: [...replyTo] }),
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    attachments: attachments.map(({ name, bytes, contentId }) => ({
      filename: name,
      content: Buffer.from(bytes),
      ...(contentId === undefined ? {} : { cid: contentId }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const bytes = await composed.build();
  let refused: readonly string[] = [];
  await step((done) =>
    connection.send({ ...composed.getEnvelope(), size: bytes.length }, bytes, (error, sent) => {
      refused = (sent?.rejectedErrors ?? []).map(
        (one) => `${one.recipient}: ${(one.response ?? '').slice(0, MAX_REFUSAL)}`,
      );
      done(error);
    }),
  );
  if (refused.length > 0) throw new PartlyRefusedError(refused.join('; '));
}

import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Certificate } from './certificate.ts';

/** A mail as a server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether it came over TLS. */
  readonly isSecure: boolean;
  readonly user: string | undefined;
  /** Headers and content. */
  readonly text: string;
}

/** An SMTP server on loopback, with the mails and logins that it received. */
export interface MailServerFixture {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** `user:password` of every login, also of those that were refused. */
  readonly logins: readonly string[];
}

/** How a server behaves. */
export interface MailServerRules {
  /** With it, the server offers STARTTLS, or begins with TLS if it is `isImplicit`. */
  readonly certificate?: Certificate;
  readonly isImplicit?: boolean;
  /** The only login that is accepted, `user:password`. */
  readonly login?: string;
  /** Recipients that are refused. */
  readonly refused?: readonly string[];
  /** How often each of these recipients is refused for now. */
  readonly deferred?: Readonly<Record<string, number>>;
}

const open: SMTPServer[] = [];

/** Stops the servers that a test started. */
export async function closeMailServers(): Promise<void> {
  for (const server of open.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
}

const replyOf = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode });

/** Starts an SMTP server. */
export async function serveMail(rules: MailServerRules = {}, host = '127.0.0.1'): Promise<MailServerFixture> {
  const { certificate, isImplicit = false, login, refused = [], deferred = {} } = rules;
  const left = new Map(Object.entries(deferred));
  const [mails, logins]: [ReceivedMail[], string[]] = [[], []];
  const options: SMTPServerOptions = {
    ...(certificate ?? { hideSTARTTLS: true }),
    secure: isImplicit,
    authOptional: true,
    allowInsecureAuth: true,
    closeTimeout: 50,
    onAuth({ username = '', password = '' }, _session, done) {
      logins.push(`${username}:${password}`);
      if (`${username}:${password}` === login) done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onRcptTo({ address }, _session, done) {
      const times = left.get(address) ?? 0;
      left.set(address, times - 1);
      if (refused.includes(address)) done(replyOf(550, 'no such mailbox'));
      else done(times > 0 ? replyOf(451, 'try again later') : null);
    },
    onData(stream, { envelope, user, secure }, done) {
      void buffer(stream).then((bytes) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, isSecure: secure, user, text: bytes.toString() });
        done(null);
      });
    },
  };
  const server = new SMTPServer(options);
  // A client that does not trust the certificate breaks the connection.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, host, () => resolve()));
  open.push(server);
  return { port: (server.server.address() as AddressInfo).port, mails, logins };
}

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { deliver } from '../../lib/egress/delivery.ts';
import { type EgressOptions, egressGuard, type Resolve } from '../../lib/egress/guard.ts';
import {
  type Mail,
  MailRefusedError,
  type MailRequest,
  type MailServer,
  UnreachableError,
} from '../../lib/ports/callees/web.ts';
import { type Certificate, certificateFor } from './certificate.ts';
import { closeMailServers, type MailServerRules, serveMail } from './mail-server.ts';
import { closeServers, serveRaw } from './servers.ts';

const LONG_MS = 30_000;

const trusted = getCACertificates('default');

afterEach(async () => {
  setDefaultCACertificates(trusted);
  await closeMailServers();
  await closeServers();
});

/** A certificate for a host that this process trusts. */
function trustedFor(host: string): Certificate {
  const certificate = certificateFor(host);
  setDefaultCACertificates([...trusted, certificate.cert]);
  return certificate;
}

const MAIL: Mail = {
  id: '<1@weft>',
  from: 'Ada <ada@example.com>',
  to: ['bob@example.com'],
  cc: [],
  bcc: [],
  subject: 'Grüße',
  text: 'Hello',
  attachments: [],
};

const serverAt = (port: number, more: Partial<MailServer> = {}): MailServer => ({
  host: 'localhost',
  port,
  tls: 'offered',
  isInsecure: false,
  ...more,
});

const LOOPBACK: Resolve = (_host, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]);

interface Given {
  readonly mails?: readonly Mail[];
  readonly guard?: EgressOptions;
  readonly resolve?: Resolve;
  readonly ms?: number;
  readonly more?: Partial<MailRequest>;
}

const sendTo = (server: MailServer, given: Given = {}): Promise<void> => {
  const { mails = [MAIL], guard = { allowsPrivate: true }, resolve = LOOPBACK, ms = LONG_MS, more } = given;
  return deliver(egressGuard(guard, resolve), { server, mails, ms, opened: async () => [], ...more });
};

const problemOf = async (sent: Promise<void>): Promise<string> => {
  const error: unknown = await sent.then(
    () => 'it was sent',
    (caught: unknown) => caught,
  );
  if (error instanceof UnreachableError) return error.problem;
  if (error instanceof MailRefusedError) return `${error.problem}: ${error.message}`;
  return String(error);
};

const LOGIN = { user: 'ada', password: 'secret' };

describe('a mail', () => {
  test('has its headers, its recipients and its attachments', async () => {
    const { port, mails } = await serveMail();
    const mail = {
      ...MAIL,
      cc: ['Cy <cy@example.com>'],
      bcc: ['hidden@example.com'],
      attachments: [{ name: 'a.bin', bytes: Buffer.from([0, 255]) }],
    };
    await sendTo(serverAt(port), { mails: [mail] });
    const [received] = mails;
    expect(received).toMatchObject({
      from: 'ada@example.com',
      to: ['bob@example.com', 'cy@example.com', 'hidden@example.com'],
      isSecure: false,
    });
    expect(received?.text).toContain('Message-ID: <1@weft>');
    expect(received?.text).toContain('From: Ada <ada@example.com>');
    expect(received?.text).toMatch(/^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=/im);
    expect(received?.text).toContain(Buffer.from([0, 255]).toString('base64'));
    expect(received?.text).not.toContain('hidden@example.com');
  });

  test('is one of several on one connection', async () => {
    const { port, mails } = await serveMail();
    await sendTo(serverAt(port), { mails: [MAIL, { ...MAIL, id: '<2@weft>', text: 'Second' }] });
    expect(mails.map(({ text }) => text.includes('Second'))).toEqual([false, true]);
  });

  test('is a text and HTML, of which a reader shows one, and says where replies go', async () => {
    const { port, mails } = await serveMail();
    await sendTo(serverAt(port), { mails: [{ ...MAIL, html: '<b>Hello</b>', replyTo: ['Help <help@example.com>'] }] });
    expect(mails[0]?.text).toContain('Reply-To: Help <help@example.com>');
    expect(mails[0]?.text).toMatch(
      /multipart\/alternative[\s\S]*text\/plain[\s\S]*Hello[\s\S]*text\/html[\s\S]*<b>Hello<\/b>/,
    );
  });

  test('shows an image within its HTML', async () => {
    const { port, mails } = await serveMail();
    const image = { name: 'logo.png', bytes: Buffer.from('png'), contentId: 'logo.png' };
    const html = '<img src="cid:logo.png">';
    await sendTo(serverAt(port), { mails: [{ ...MAIL, html, attachments: [image] }] });
    expect(mails[0]?.text).toMatch(/Content-Id: <logo\.png>/i);
  });
});

describe('a login', () => {
  test.each([
    ['STARTTLS', { isImplicit: false }, 'offered'],
    ['TLS from the start', { isImplicit: true }, 'implicit'],
  ] as const)('is sent over %s', async (_name, rules, tls) => {
    const { port, mails, logins } = await serveMail({
      certificate: trustedFor('localhost'),
      login: 'ada:secret',
      ...rules,
    });
    await sendTo(serverAt(port, { tls, login: LOGIN }));
    expect(logins).toEqual(['ada:secret']);
    expect(mails).toMatchObject([{ isSecure: true, user: 'ada' }]);
  });

  const UNSAFE: readonly (readonly [string, () => MailServerRules, MailServer['tls']])[] = [
    ['without TLS', () => ({}), 'offered'],
    ['with a certificate of no known authority', () => ({ certificate: certificateFor('localhost') }), 'offered'],
    ['with the certificate of another host', () => ({ certificate: trustedFor('other.test') }), 'offered'],
    [
      'with an untrusted certificate from the start',
      () => ({ certificate: certificateFor('localhost'), isImplicit: true }),
      'implicit',
    ],
  ];
  test.each(UNSAFE)('is not sent to a server %s, unless the mail says so', async (_name, rules, tls) => {
    const { port, mails, logins } = await serveMail({ login: 'ada:secret', ...rules() });
    expect(await problemOf(sendTo(serverAt(port, { tls, login: LOGIN })))).toBe('tls');
    expect([logins, mails]).toEqual([[], []]);
    await sendTo(serverAt(port, { tls, login: LOGIN, isInsecure: true }));
    expect(mails).toMatchObject([{ user: 'ada' }]);
  });

  test('that is wrong is a refusal', async () => {
    const { port, mails } = await serveMail({ certificate: trustedFor('localhost'), login: 'ada:secret' });
    const wrong = { user: 'ada', password: 'other' };
    expect(await problemOf(sendTo(serverAt(port, { login: wrong })))).toMatch(/^login: 'localhost' refused AUTH .*535/);
    expect(mails).toEqual([]);
  });
});

test('TLS that is required is not left out, and TLS that is offered is used', async () => {
  const plain = await serveMail();
  expect(await problemOf(sendTo(serverAt(plain.port, { tls: 'required' })))).toBe('tls');
  const offering = await serveMail({ certificate: certificateFor('localhost') });
  await sendTo(serverAt(offering.port));
  expect(offering.mails).toMatchObject([{ isSecure: true }]);
});

describe('a recipient that is refused', () => {
  test('fails a mail that has no other', async () => {
    const { port, mails } = await serveMail({ refused: ['bob@example.com'] });
    expect(await problemOf(sendTo(serverAt(port)))).toMatch(/^rejected: .* refused RCPT TO: 550 no such mailbox/);
    expect(mails).toEqual([]);
  });

  test('for now can get the mail later', async () => {
    const { port } = await serveMail({ deferred: { 'bob@example.com': 1 } });
    expect(await problemOf(sendTo(serverAt(port)))).toMatch(/^deferred: .* refused RCPT TO: 451 try again later/);
  });

  test('fails a mail that the others got', async () => {
    const { port, mails } = await serveMail({ refused: ['bob@example.com'] });
    const mail = { ...MAIL, to: ['bob@example.com', 'cy@example.com'] };
    expect(await problemOf(sendTo(serverAt(port), { mails: [mail] }))).toMatch(/^partial: .*bob@example\.com: 550/);
    expect(mails).toMatchObject([{ to: ['cy@example.com'] }]);
  });
});

describe('line breaks', () => {
  test.each([
    ['subject', { subject: 'Hi\r\nBcc: eve@example.com' }],
    ['sender', { from: 'Ada\r\nBcc: eve@example.com <ada@example.com>' }],
    ['recipient', { to: ['bob@example.com\r\nRCPT TO:<eve@example.com>'] }],
    ['attachment', { attachments: [{ name: 'a\r\nBcc: eve@example.com', bytes: Buffer.from('x') }] }],
  ])('in a %s are refused before anything is sent', async (_name, change) => {
    const { port, mails } = await serveMail();
    const sent = sendTo(serverAt(port), { mails: [MAIL, { ...MAIL, ...change }] });
    expect(await problemOf(sent)).toMatch(/^invalid: '\w+' of a mail must not contain line breaks$/);
    expect(mails).toEqual([]);
  });
});

describe('a mail', () => {
  const bytes = Buffer.alloc(13 * 1024 * 1024);
  test.each([
    ['1000 recipients', { to: [Array.from({ length: 1001 }, () => 'a@test').join()] }],
    ['100 attachments', { attachments: Array.from({ length: 101 }, () => ({ name: 'a', bytes: Buffer.alloc(1) })) }],
    ['100000 characters in its headers', { subject: 'a'.repeat(100_000) }],
    ['4194304 characters in its text', { text: 'a'.repeat(4_194_305) }],
    ['26214400 bytes in its attachments', { attachments: ['a', 'b'].map((name) => ({ name, bytes })) }],
  ])('has at most %s', async (most, change) => {
    const { port, mails } = await serveMail();
    const sent = sendTo(serverAt(port), { mails: [MAIL, { ...MAIL, ...change }] });
    expect(await problemOf(sent)).toContain(`invalid: a mail has at most ${most}, and this one has `);
    expect(mails).toEqual([]);
  });
});

describe('a server that cannot be reached', () => {
  const unknown: Resolve = (_host, answer) => answer(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);

  test('has no address', async () => {
    expect(await problemOf(sendTo(serverAt(25, { host: 'unknown.test' }), { resolve: unknown }))).toBe('dns');
  });

  test('is protected, and opened by the rules of the namespace', async () => {
    const guard = { allowsPrivate: false };
    expect(await problemOf(sendTo(serverAt(25), { guard }))).toBe('blocked');
    expect(await problemOf(sendTo(serverAt(25, { host: '169.254.169.254' }), { guard }))).toBe('blocked');
    const asked: string[] = [];
    const resolve: Resolve = (host, answer) => {
      asked.push(host);
      answer(null, [{ address: '10.0.0.1', family: 4 }]);
    };
    const stopped = { opened: async () => ['mail.internal'], signal: AbortSignal.abort() };
    const sent = sendTo(serverAt(25, { host: 'mail.internal' }), { guard, resolve, more: stopped });
    expect(await problemOf(sent)).not.toBe('it was sent');
  });

  test.each(['a b', 'host/path', 'user@host'])('has the name %s', async (host) => {
    expect(await problemOf(sendTo(serverAt(25, { host })))).toBe('request');
  });

  test('never answers, answers nothing of SMTP, or breaks the connection', async () => {
    const silent = await serveRaw(() => undefined);
    expect(await problemOf(sendTo(serverAt(silent.port), { ms: 100 }))).toBe('timeout');
    const other = await serveRaw((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await problemOf(sendTo(serverAt(other.port)))).toBe('response');
    const broken = await serveRaw((socket) => socket.destroy());
    expect(await problemOf(sendTo(serverAt(broken.port)))).toBe('connection');
  });

  test('never ends its greeting', async () => {
    const endless = await serveRaw((socket) => {
      const line = `220-${'x'.repeat(1000)}\r\n`;
      const write = (): void => void (socket.destroyed || socket.write(line.repeat(100), () => setImmediate(write)));
      write();
    });
    expect(await problemOf(sendTo(serverAt(endless.port)))).not.toBe('it was sent');
  });

  test('sends blank lines without an end', async () => {
    const endless = await serveRaw((socket) => {
      const write = (): void => void (socket.destroyed || socket.write('\n'.repeat(50_000), () => setImmediate(write)));
      write();
    });
    expect(await problemOf(sendTo(serverAt(endless.port), { ms: 60_000 }))).toBe('response');
  });

  test('stops between its replies', async () => {
    const slow = await serveRaw((socket) => socket.write('220 slow\r\n'));
    expect(await problemOf(sendTo(serverAt(slow.port), { ms: 100 }))).toBe('timeout');
  });
});

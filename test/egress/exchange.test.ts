import { networkInterfaces } from 'node:os';
import { setInterval } from 'node:timers';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { networkWeb } from '../../lib/adapters/portable/web.ts';
import { type EgressOptions, egressGuard, type Resolve } from '../../lib/egress/guard.ts';
import { UnreachableError, type WebRequest, type WebResponse } from '../../lib/ports/callees/web.ts';
import { certificateFor } from './certificate.ts';
import { closeServers, serve, serveHttp2, serveRaw, serveTls } from './servers.ts';

afterEach(closeServers);

const LOCAL: EgressOptions = { allowsPrivate: false, allowsLoopback: true };
const MAX_BYTES = 1024 * 1024;

const asked = (url: string, more: Partial<WebRequest> = {}): WebRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: {},
  credentials: {},
  ms: 10_000,
  maxBytes: MAX_BYTES,
  redirects: 5,
  isInsecure: false,
  opened: async () => [],
  ...more,
});

const send = (url: string, more: Partial<WebRequest> = {}, options = LOCAL, resolve?: Resolve): Promise<WebResponse> =>
  networkWeb(options, resolve).send(asked(url, more));

/** The problem of a request that gets no response. */
const problemOf = async (...request: Parameters<typeof send>): Promise<string> => {
  const error = await send(...request).then(
    ({ status }) => new Error(`it was answered with ${status}`),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(UnreachableError);
  return (error as UnreachableError).problem;
};

const text = ({ body }: WebResponse): string => Buffer.from(body).toString();

/** A resolver that resolves every name to these addresses. */
const resolvesTo = (...addresses: string[]): Resolve => {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_name, callback) => callback(null, found);
};

describe('a response', () => {
  test('has status, headers and body', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(201, { 'X-A': ['1', '2'], 'Set-Cookie': ['a=1', 'b=2'] }).end('made');
    });
    const response = await send(url);
    expect(response.headers).toMatchObject({ 'x-a': '1, 2', 'set-cookie': ['a=1', 'b=2'] });
    expect([response.status, text(response)]).toEqual([201, 'made']);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['gzip, deflate', (text: string) => deflateRawSync(gzipSync(text))],
    ['deflate, gzip', (text: string) => gzipSync(deflateRawSync(text))],
    ['br', brotliCompressSync],
    // No encoding, but a name that every object of JavaScript has.
    ['constructor', Buffer.from],
  ])('is decompressed: %s', async (encoding, compress) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': encoding }).end(compress('small'));
    });
    expect(text(await send(url))).toBe('small');
  });

  test('of the encoding deflate may be empty', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'deflate', 'Transfer-Encoding': 'chunked' }).end();
    });
    expect(await problemOf(url)).toBe('response');
  });

  test('has the UTF-8 of its headers, as the request has', async () => {
    let city: string | undefined;
    const { url } = await serveRaw((socket) => {
      socket.on('data', (head) => {
        city = /x-city: (.*)\r/i.exec(head.toString('utf8'))?.[1];
        socket.end('HTTP/1.1 200 OK\r\nX-City: Köln\r\nSet-Cookie: a=ö\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const { headers } = await send(url, { headers: { 'x-city': '東京 Köln' } });
    expect(city).toBe('東京 Köln');
    expect(headers).toMatchObject({ 'x-city': 'Köln', 'set-cookie': ['a=ö'] });
  });

  test('to HEAD has no body, whatever its headers announce', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': '3000000000' }).end();
    });
    expect((await send(url, { method: 'HEAD' })).body).toHaveLength(0);
  });

  test('of status 204 has no body, though the server sends one', async () => {
    const { url } = await serveRaw((socket) => {
      socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello');
    });
    const response = await send(url);
    expect([response.status, response.body.length]).toEqual([204, 0]);
  });

  test('of status 204 whose body is sent without a length has none either', async () => {
    const { url } = await serveRaw((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\nhello'));
    const response = await send(url);
    expect([response.status, response.body.length]).toEqual([204, 0]);
  });
});

describe('bad servers', () => {
  test('a body that ends never is read up to the limit', async () => {
    let sent = 0;
    const { url } = await serve((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        response.once('drain', more);
      };
      more();
    });
    expect(await problemOf(url)).toBe('tooLarge');
    expect(sent).toBeLessThan(64 * MAX_BYTES);
  });

  test('3 GB that are announced are not read', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '3000000000' }).write('a');
    });
    expect(await problemOf(url)).toBe('tooLarge');
  });

  test('a bomb of gzip is unpacked up to the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MAX_BYTES));
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
    });
    expect(bomb.length).toBeLessThan(MAX_BYTES);
    expect(await problemOf(url)).toBe('tooLarge');
  });

  test('a body that is not what its encoding names is malformed', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('no gzip');
    });
    expect(await problemOf(url)).toBe('response');
  });

  test('a body that ends within its encoding is malformed', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('a'.repeat(1000)).subarray(0, 15));
    });
    expect(await problemOf(url)).toBe('response');
  });

  test('a slow drip ends at the deadline', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect(await problemOf(url, { ms: 150 })).toBe('timeout');
  });

  test('a drip of headers ends at the deadline', async () => {
    const { url } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('X-A: 1\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    expect(await problemOf(url, { ms: 150 })).toBe('timeout');
  });

  test('silence ends at the deadline', async () => {
    const { url } = await serveRaw(() => undefined);
    expect(await problemOf(url, { ms: 50 })).toBe('timeout');
  });

  test('headers without end are refused', async () => {
    const { url } = await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`));
    expect(await problemOf(url)).toBe('tooLarge');
  });

  test('what is not HTTP is a malformed response', async () => {
    const { url } = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    expect(await problemOf(url)).toBe('response');
  });

  test('a connection that breaks within a body is broken', async () => {
    const { url } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', () => socket.destroy());
    });
    expect(await problemOf(url)).toBe('connection');
  });

  test('a connection that breaks before the response is broken', async () => {
    const { url } = await serveRaw((socket) => socket.on('data', () => socket.destroy()));
    expect(await problemOf(url)).toBe('connection');
  });

  test('a port without a server is refused', async () => {
    const server = await serve(() => undefined);
    await server.close();
    expect(await problemOf(server.url)).toBe('refused');
  });

  test('a host without an address is not known', async () => {
    const resolve: Resolve = (_name, answer) => answer(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    expect(await problemOf('http://nowhere.test/', {}, LOCAL, resolve)).toBe('dns');
  });

  test('an unknown host is not known to the resolver of the system either', async () => {
    expect(await problemOf('http://nowhere.invalid/')).toBe('dns');
  });
});

describe('TLS', () => {
  test('with a certificate that nobody has signed is refused, and accepted if it need not be verified', async () => {
    const { url } = await serveTls(certificateFor('localhost'), (_request, response) => response.end('hi'));
    expect(await problemOf(url)).toBe('tls');
    expect(text(await send(url, { isInsecure: true }))).toBe('hi');
  });

  test('with a certificate for another host is refused', async () => {
    const { url } = await serveTls(certificateFor('other.test'), (_request, response) => response.end('hi'));
    expect(await problemOf(url)).toBe('tls');
  });

  test('to a server without it fails', async () => {
    const { port } = await serve((_request, response) => response.end('hi'));
    expect(await problemOf(`https://127.0.0.1:${port}/`)).toBe('tls');
  });

  test('to a server that speaks HTTP/2 only fails in the handshake', async () => {
    const { url } = await serveHttp2(certificateFor('localhost'));
    expect(await problemOf(url, { isInsecure: true })).toBe('tls');
  });

  test('a server that speaks HTTP/2 without TLS sends a malformed response', async () => {
    const { url } = await serveRaw((socket) => socket.end(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])));
    expect(await problemOf(url)).toBe('response');
  });
});

describe('redirects', () => {
  test('are followed: 303 by GET without the body, 307 with method and body', async () => {
    const seen: string[] = [];
    const { url } = await serve(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      seen.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
      if (request.url === '/a') response.writeHead(307, { Location: '/b' }).end();
      else if (request.url === '/b') response.writeHead(303, { Location: 'c?d=1' }).end();
      else response.end('done');
    });
    const request = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: Buffer.from('hello') };
    expect(text(await send(`${url}/a`, request))).toBe('done');
    expect(seen).toEqual(['POST /a text/plain hello', 'POST /b text/plain hello', 'GET /c?d=1 undefined ']);
  });

  test('send the cookies of the request to its origin, and none that a response sets', async () => {
    const seen: unknown[] = [];
    const { url } = await serve((request, response) => {
      seen.push(request.headers.cookie);
      if (request.url === '/a') response.writeHead(302, { Location: '/b', 'Set-Cookie': 'set=1' }).end();
      else response.writeHead(200, { 'Set-Cookie': 'last=1' }).end();
    });
    const { headers } = await send(`${url}/a`, { headers: { cookie: 'own=1' } });
    expect(seen).toEqual(['own=1', 'own=1']);
    expect(headers['set-cookie']).toEqual(['last=1']);
  });

  test('in a loop end', async () => {
    let count = 0;
    const { url } = await serve((_request, response) => {
      count += 1;
      response.writeHead(302, { Location: '/' }).end();
    });
    expect(await problemOf(url)).toBe('redirects');
    expect(count).toBe(6);
  });

  test('are a response if none is followed', async () => {
    const { url } = await serve((_request, response) => response.writeHead(302, { Location: '/' }).end());
    expect((await send(url, { redirects: 0 })).status).toBe(302);
  });

  test('to metadata or the service itself are blocked', async () => {
    const targets = ['http://169.254.169.254/latest/', 'http://[fe80::1]/', 'http://10.0.0.1/'];
    const { url, port } = await serve((request, response) => {
      response.writeHead(302, { Location: targets[Number(request.url?.slice(1))] ?? '' }).end();
    });
    for (const index of targets.keys()) expect(await problemOf(`${url}/${index}`)).toBe('blocked');
    targets.push(`http://127.0.0.1:${port + 1}/`);
    const options = { ...LOCAL, ownPorts: () => new Set([port + 1]) };
    expect(await problemOf(`${url}/3`, {}, options)).toBe('blocked');
  });

  test('to another scheme are not followed', async () => {
    const { url } = await serve((_request, response) =>
      response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
    );
    expect(await problemOf(url)).toBe('request');
  });

  test('to another origin lose credentials', async () => {
    const seen: unknown[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers.cookie, request.headers['x-key']);
      response.end();
    });
    const { url } = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers['x-key']);
      response.writeHead(302, { Location: other.url }).end();
    });
    await send(url, { headers: { authorization: 'Bearer a', cookie: 'b=c' }, credentials: { 'x-key': 'd' } });
    expect(seen).toEqual(['Bearer a', 'd', undefined, undefined, undefined]);
  });
});

describe('protected addresses', () => {
  test.each([
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.31.0.1/',
    'http://100.100.0.1/',
    'http://169.254.169.254/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::7f00:1]:1/',
    'http://[64:ff9b::a00:1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[::127.0.0.1]/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://198.18.0.1/',
    'http://[64:ff9b:1::a00:1]/',
    'http://[::ffff:0:10.0.0.1]/',
    'http://0xa000001/',
    'http://012.0.0.1/',
    'http://10.1/',
  ])('%s is blocked', async (url) => {
    expect(await problemOf(url)).toBe('blocked');
  });

  test.each(['http://127.0.0.1:9001/', 'http://localhost:9001/', 'http://[::1]:9001/'])(
    '%s is blocked on Lambda, where the runtime listens',
    async (url) => {
      expect(await problemOf(url, {}, { allowsPrivate: false })).toBe('blocked');
    },
  );

  test('the ports of the service are blocked on every address of this machine', async () => {
    const { port } = await serve((_request, response) => response.end());
    const options = { ...LOCAL, ownPorts: () => new Set([port]) };
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '[::1]', '0.0.0.0']) {
      expect(await problemOf(`http://${host}:${port}/`, {}, options)).toBe('blocked');
    }
  });

  test('the ports of the service are blocked on an address of this machine within IPv6', () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
    const guard = egressGuard({ allowsPrivate: true, ownPorts: () => new Set([8080]) });
    for (const host of [own, `[::ffff:${own}]`]) {
      expect(() => guard.lookupFor(new URL(`http://${host}:8080/`)), host).toThrow('leads to an address that is kept');
      expect(() => guard.lookupFor(new URL(`http://${host}:8081/`))).not.toThrow();
    }
  });

  test.each([['10.1.2.3'], ['10.0.0.0/8'], ['api.test'], ['*.test']])(
    'the rule %s opens a private one',
    async (rule) => {
      const lookup = egressGuard(LOCAL, resolvesTo('10.1.2.3')).lookupFor(new URL('http://api.test/'), [rule]);
      const found = await new Promise((resolve) => lookup('api.test', {}, (...answer) => resolve(answer)));
      expect(found).toEqual([null, '10.1.2.3', 4]);
    },
  );

  test.each([['10.2.0.0/16'], ['other.test'], ['*.api.test'], ['test']])('the rule %s does not', async (rule) => {
    const request = { opened: async () => [rule], ms: 20 };
    expect(await problemOf('http://api.test/', request, LOCAL, resolvesTo('10.1.2.3'))).toBe('blocked');
  });

  test.each([['169.254.0.0/16'], ['127.0.0.0/8'], ['api.test'], ['0.0.0.0/0']])(
    'the rule %s opens neither metadata nor, on Lambda, the machine itself',
    async (rule) => {
      for (const address of ['169.254.169.254', '127.0.0.1']) {
        const request = { opened: async () => [rule], ms: 20 };
        const found = await problemOf('http://api.test/', request, { allowsPrivate: false }, resolvesTo(address));
        expect(found).toBe('blocked');
      }
    },
  );

  test.each([
    ['127.0.0.0/8', '127.0.0.1', undefined],
    ['local.test', '127.0.0.1', undefined],
    ['127.0.0.0/8', '::ffff:127.0.0.1', undefined],
    ['127.0.0.2', '127.0.0.1', 'blocked'],
    ['0.0.0.0/0', '169.254.169.254', 'blocked'],
  ])('the rule %s leads to %s of this machine where rules may open it: %s', async (rule, address, problem) => {
    const { port } = await serve((_request, response) => response.end());
    const options: EgressOptions = { allowsPrivate: false, allowsLoopback: 'by-rule' };
    const to = (opened: string[], ports: readonly number[]) =>
      send(
        `http://local.test:${port}/`,
        { opened: async () => opened },
        { ...options, ownPorts: () => new Set(ports) },
        resolvesTo(address),
      ).then(
        () => undefined,
        (error: unknown) => (error as UnreachableError).problem,
      );
    expect([await to([rule], []), await to([], []), await to([rule], [port])]).toEqual([problem, 'blocked', 'blocked']);
  });

  test('are not resolved a second time for the connection', async () => {
    const { port } = await serve((_request, response) => response.end('first'));
    let count = 0;
    const resolve: Resolve = (_name, answer) => {
      count += 1;
      answer(null, [{ address: count === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]);
    };
    expect(text(await send(`http://rebinding.test:${port}/`, {}, LOCAL, resolve))).toBe('first');
    expect(count).toBe(1);
  });
});

describe('a request', () => {
  test('with a header that has a line break is not sent', async () => {
    const { url } = await serve((_request, response) => response.end());
    expect(await problemOf(url, { headers: { 'x-a': 'a\r\nb: c' } })).toBe('request');
  });

  test('can be aborted', async () => {
    const { url } = await serveRaw(() => undefined);
    const controller = new AbortController();
    const sending = problemOf(url, { signal: controller.signal });
    controller.abort();
    expect(await sending).toBe('connection');
  });

  test('is signed for AWS', async () => {
    let headers: Readonly<Record<string, unknown>> = {};
    const { url } = await serve((request, response) => {
      headers = request.headers;
      response.end();
    });
    const signing = { service: 'execute-api', region: 'eu-west-1', accessKeyId: 'AKID', secretAccessKey: 'secret' };
    await send(`${url}/a b?c=d`, { signing, method: 'POST', body: Buffer.from('{}') });
    expect(headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/execute-api\/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$/,
    );
    expect(headers['x-amz-date']).toMatch(/^\d{8}T\d{6}Z$/);
  });
});

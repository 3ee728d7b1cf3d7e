import { STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signIamToken } from '../../lib/adapters/portable/tokens/iam-signing.ts';
import { iamTokens } from '../../lib/adapters/portable/tokens/iam-tokens.ts';
import type { IamTokens } from '../../lib/ports/tokens.ts';
import { type Principal, type Sts, startSts } from '../contract/sts.ts';

const MINUTE_MS = 60_000;

const USER: Principal = {
  accessKeyId: 'AKIAUSER000000000000',
  secretAccessKey: 'secret/of+the+user',
  arn: 'arn:aws:iam::123456789012:user/ada',
  userId: 'AIDAADA',
};
const SESSION: Principal = {
  accessKeyId: 'ASIASESSION000000000',
  secretAccessKey: 'secret of a session',
  sessionToken: 'FwoGZXIvYXdzEA+/=='.repeat(40),
  arn: 'arn:aws:sts::123456789012:assumed-role/deployers/ci-17',
  userId: 'AROADEPLOYERS:ci-17',
};

const AUDIENCE = 'flows.example.com';

let sts: Sts;
let late = 0;

beforeEach(async () => {
  sts = await startSts([USER, SESSION]);
  late = 0;
});
afterEach(() => sts.close());

const open = (endpoint: string | undefined = sts.url): IamTokens =>
  iamTokens({ audience: AUDIENCE, principals: {} }, () => Date.now() + late, endpoint);

const sign = (credentials: Principal = USER, audience = AUDIENCE): Promise<string> =>
  signIamToken({ credentials, audience, region: 'eu-west-1', endpoint: sts.url });

const outcomeOf = (verifying: Promise<unknown>): Promise<string> =>
  verifying.then(
    () => 'accepted',
    ({ problem, message }: { problem: string; message: string }) => `${problem}: ${message}`,
  );

/** A token with another URL than the signed one. */
function changed(token: string, change: (url: URL) => unknown): string {
  const url = new URL(Buffer.from(token.replace('weft-aws-v1.', ''), 'base64url').toString());
  change(url);
  return `weft-aws-v1.${Buffer.from(url.href).toString('base64url')}`;
}

const changedQuery = (token: string, name: string, value: string): string =>
  changed(token, ({ searchParams }) => searchParams.set(name, value));

describe('a token of IAM', () => {
  test('identifies who signed it, by ARN and user id, with lasting credentials and those of a session', async () => {
    expect(await open().verify(await sign())).toEqual({ subject: USER.userId, name: USER.arn });
    expect(await open().verify(await sign(SESSION))).toEqual({ subject: SESSION.userId, name: SESSION.arn });
  });

  test('of a principal without rights takes no place among those that are remembered', async () => {
    const tokens = open();
    const token = await sign(SESSION);
    for (let n = 0; n < 2; n += 1) expect(await tokens.verify(token, () => false)).toMatchObject({ name: SESSION.arn });
    expect(sts.requests).toBe(2);
  });

  test('is verified once, and accepted until it expires', async () => {
    const tokens = open();
    const token = await sign();
    for (let n = 0; n < 5; n += 1) await tokens.verify(token);
    expect(sts.requests).toBe(1);
    late = 14 * MINUTE_MS;
    expect(await outcomeOf(tokens.verify(token))).toBe('accepted');
    late = 15 * MINUTE_MS + 1_000;
    expect(await outcomeOf(tokens.verify(token))).toBe(
      'refused: the token has expired: one is valid for at most 15 minutes',
    );
    expect(sts.requests).toBe(1);
  });
});

describe('a token of IAM is refused', () => {
  test('if it is signed for another service, or by another secret', async () => {
    const reason =
      "refused: AWS refuses the signature of the token: sign the header x-weft-audience with the value 'flows.example.com', by the secret of the access key";
    expect(await outcomeOf(open().verify(await sign(USER, 'other.example.com')))).toBe(reason);
    expect(await outcomeOf(open().verify(await sign({ ...USER, secretAccessKey: 'guessed' })))).toBe(reason);
  });

  test.each([
    ['unknown credentials', { ...USER, accessKeyId: 'AKIAUNKNOWN000000000' }, 'AWS does not know the credentials'],
    ['credentials that expired', { ...SESSION, sessionToken: 'old' }, 'have expired'],
  ])('for %s', async (_, credentials, reason) => {
    expect(await outcomeOf(open().verify(await sign(credentials)))).toMatch(new RegExp(`^refused: .*${reason}`));
  });

  const MALFORMED = 'refused: the token is malformed: it is no signed URL for GetCallerIdentity of STS';
  test.each([
    ['asks for anything else', (token: string) => changedQuery(token, 'Action', 'AssumeRole'), MALFORMED],
    ['has another parameter', (token: string) => changedQuery(token, 'RoleArn', 'x'), MALFORMED],
    [
      'has a parameter twice',
      (token: string) => changed(token, ({ searchParams }) => searchParams.append('Action', 'GetCallerIdentity')),
      MALFORMED,
    ],
    [
      'lacks a parameter',
      (token: string) => changed(token, ({ searchParams }) => searchParams.delete('Version')),
      MALFORMED,
    ],
    [
      'names another path',
      (token: string) =>
        changed(token, (url) => {
          url.pathname = '/x';
        }),
      MALFORMED,
    ],
    ['is no URL', () => `weft-aws-v1.${Buffer.from('no URL').toString('base64url')}`, MALFORMED],
    ['is too long', (token: string) => token + 'A'.repeat(20_000), 'refused: the token has 20'],
    [
      'names another server',
      (token: string) =>
        changed(token, (url) => {
          url.host = '127.0.0.1:9';
        }),
      'refused: the token is signed for a host that is no endpoint of STS',
    ],
    [
      'signs no audience',
      (token: string) => changedQuery(token, 'X-Amz-SignedHeaders', 'host'),
      'refused: the token is for no service: it must sign the headers host and x-weft-audience, and no others',
    ],
    [
      'is of the future',
      (token: string) => changedQuery(token, 'X-Amz-Date', '29990101T000000Z'),
      'refused: the token is not valid yet',
    ],
    [
      'asks for a longer time',
      (token: string) => changedQuery(changedQuery(token, 'X-Amz-Expires', '86400'), 'X-Amz-Date', '20200101T000000Z'),
      'refused: the token has expired',
    ],
  ])('without a request to STS if it %s', async (_, change, reason) => {
    expect(await outcomeOf(open().verify(change(await sign())))).toContain(reason);
    expect(sts.requests).toBe(0);
  });

  test.each([
    ...['https://s3.amazonaws.com', 'https://sts.s3.amazonaws.com', 'https://sts.s3-us-west-2.amazonaws.com'],
    ...['https://sts.evil.com', 'http://sts.eu-west-1.amazonaws.com', 'https://sts.eu-west-1.amazonaws.com:8443'],
    ...['https://sts.eu-west-1.amazonaws.com.evil.com', 'https://ada@sts.evil.amazonaws.com'],
  ])('if it names %s', async (endpoint) => {
    const token = await signIamToken({ credentials: USER, audience: AUDIENCE, region: 'eu-west-1', endpoint });
    const tokens = iamTokens({ audience: AUDIENCE, principals: {} }, Date.now);
    expect(await outcomeOf(tokens.verify(token))).toBe(
      'refused: the token is signed for a host that is no endpoint of STS',
    );
  });
});

test.each(['us-east-1', 'eu-central-2', 'us-gov-west-1', 'cn-north-1', 'ap-southeast-7'])(
  'the endpoint of STS in %s is that of the SDK',
  async (region) => {
    const token = await signIamToken({ credentials: USER, audience: AUDIENCE, region });
    const { hostname } = new URL(Buffer.from(token.slice('weft-aws-v1.'.length), 'base64url').toString());
    const { config } = new STSClient({ region });
    expect(hostname).toBe(config.endpointProvider({ Region: region }).url.hostname);
    // An old token: nothing is sent, and the host is accepted.
    late = 60 * MINUTE_MS;
    const tokens = iamTokens({ audience: AUDIENCE, principals: {} }, () => Date.now() + late);
    expect(await outcomeOf(tokens.verify(token))).toContain('has expired');
  },
);

test('while STS does not answer or is busy, tokens have to wait', async () => {
  const token = await sign();
  for (const [status, code] of [
    [500, 'InternalFailure'],
    [400, 'Throttling'],
  ] as const) {
    sts.fail(status, code);
    expect(await outcomeOf(open().verify(token))).toBe(
      `unavailable: STS of AWS is at fault: it answers ${status} ${code}`,
    );
  }
  sts.fail(undefined);
  const tokens = open();
  const many = await Promise.all(Array.from({ length: 60 }, () => sign().then((one) => outcomeOf(tokens.verify(one)))));
  expect(new Set(many)).toEqual(new Set(['accepted', 'unavailable: too many sign-ins at this moment; try again']));
  await sts.close();
  expect(await outcomeOf(open().verify(token))).toBe(
    'unavailable: STS of AWS is at fault: it cannot be reached (ECONNREFUSED)',
  );
});

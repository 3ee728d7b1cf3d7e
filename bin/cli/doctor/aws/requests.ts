import type { SigningCredentials } from '../../../../lib/adapters/portable/aws-signature.ts';
import { retry } from '../../../../lib/adapters/portable/retry.ts';
import { textAt } from '../../client/replies.ts';
import { reasonOf } from '../../client/service.ts';
import { CommandFailedError } from '../../shell/command.ts';
import type { Terminal } from '../../shell/terminal.ts';

/** Whose account is read, and where. */
export interface Account {
  readonly region: string;
  readonly credentials: SigningCredentials;
  readonly env: Terminal['env'];
}

/**
 * The services that are asked, by an AWS JSON protocol of this version: their names in hosts and signatures, and in
 * permissions; `endpoint` is the variable of AWS with another address.
 */
const APIS = {
  quotas: {
    name: 'servicequotas',
    title: 'Service Quotas',
    target: 'ServiceQuotasV20190624',
    version: '1.1',
    endpoint: 'AWS_ENDPOINT_URL_SERVICE_QUOTAS',
    permission: 'servicequotas',
  },
  metrics: {
    name: 'monitoring',
    title: 'CloudWatch',
    target: 'GraniteServiceVersion20100801',
    version: '1.0',
    endpoint: 'AWS_ENDPOINT_URL_CLOUDWATCH',
    permission: 'cloudwatch',
  },
} as const;

type Api = (typeof APIS)[keyof typeof APIS];

/** AWS answered with an error. `permission` is the right that the caller does not have, if that is the reason. */
export class AwsRefusalError extends Error {
  override readonly name = 'AwsRefusalError';

  readonly code: string;
  readonly permission: string | undefined;

  constructor(code: string, message: string, permission: string | undefined) {
    super(message);
    this.code = code;
    this.permission = permission;
  }
}

const THROTTLED = /^(TooManyRequests|Throttl|RequestLimitExceeded)/;
const REPLY_MS = 30_000;

const endpointOf = ({ name, endpoint }: Api, { region, env }: Account): URL =>
  new URL(
    env[endpoint] ||
      env['AWS_ENDPOINT_URL'] ||
      `https://${name}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
  );

function toRefusal({ title, permission }: Api, operation: string, status: number, text: string): AwsRefusalError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy, and AWS in some faults, answer with other texts.
    body = {};
  }
  const code = textAt(body, '__type').split('#').at(-1) || `status ${status}`;
  const reason = textAt(body, 'message') || textAt(body, 'Message') || 'it gives no reason';
  const needed = /^AccessDenied/.test(code) ? `${permission}:${operation}` : undefined;
  return new AwsRefusalError(code, `${title} refuses ${operation}: ${code}, ${reason}`, needed);
}

async function send(api: Api, operation: string, input: unknown, account: Account): Promise<unknown> {
  const { signForAws } = await import('../../../../lib/adapters/portable/aws-signature.ts');
  const url = endpointOf(api, account);
  const body = Buffer.from(JSON.stringify(input));
  const headers = {
    'content-type': `application/x-amz-json-${api.version}`,
    'x-amz-target': `${api.target}.${operation}`,
  };
  const { accessKeyId, secretAccessKey, sessionToken } = account.credentials;
  const session = sessionToken === undefined ? {} : { sessionToken };
  const signing = { service: api.name, region: account.region, accessKeyId, secretAccessKey, ...session };
  const signed = await signForAws(signing, { url, method: 'POST', headers, body });
  const { host: _, ...sent } = signed;
  const reply = await fetch(url, { method: 'POST', headers: sent, body, signal: AbortSignal.timeout(REPLY_MS) }).catch(
    (error: unknown) => {
      throw new CommandFailedError(
        `${api.title} cannot be reached at ${url.origin}: ${reasonOf(error)}; check --region`,
      );
    },
  );
  const text = await reply.text();
  if (!reply.ok) throw toRefusal(api, operation, reply.status, text);
  return JSON.parse(text);
}

/**
 * Sends a signed request to Service Quotas or CloudWatch, again when AWS throttles it, and returns the reply. Throws
 * AwsRefusalError for an error of AWS, and CommandFailedError when it cannot be reached.
 */
export const askAws = (api: keyof typeof APIS, operation: string, input: unknown, account: Account): Promise<unknown> =>
  retry(() => send(APIS[api], operation, input, account), {
    isTransient: (error) => error instanceof AwsRefusalError && THROTTLED.test(error.code),
    maxAttempts: 7,
    firstDelayMs: 200,
  });

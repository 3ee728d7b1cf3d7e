import { UnreachableError, type WebProblem } from '../ports/callees/web.ts';

/** The problem for each prefix of the error codes of network, TLS and parsers; the longest matching prefix counts. */
const PROBLEM_OF: Readonly<Record<string, WebProblem>> = {
  ENOTFOUND: 'dns',
  EAI_: 'dns',
  ENODATA: 'dns',
  ESERVFAIL: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  EADDRNOTAVAIL: 'refused',
  ETIMEDOUT: 'timeout',
  ERR_TLS_: 'tls',
  ERR_SSL_: 'tls',
  CERT_: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_: 'tls',
  HOSTNAME_MISMATCH: 'tls',
  INVALID_CA: 'tls',
  EPROTO: 'tls',
  HPE_HEADER_OVERFLOW: 'tooLarge',
  HPE_: 'response',
  Z_: 'response',
  ERR__ERROR_: 'response',
  ERR_BROTLI: 'response',
  ZSTD_: 'response',
  ERR_INVALID_CHAR: 'request',
  ERR_INVALID_HTTP_TOKEN: 'request',
  ERR_UNESCAPED_CHARACTERS: 'request',
};

const PREFIXES = Object.entries(PROBLEM_OF).sort(([a], [b]) => b.length - a.length);

/** The text of a message for each problem, after the host. */
const TEXT_OF: Readonly<Record<WebProblem, (code: string) => string>> = {
  request: (code) => `cannot be asked this: the request is malformed (${code})`,
  blocked: () => 'leads to an address that is kept from users',
  dns: (code) => `is not known: its name has no address (${code})`,
  refused: (code) => `cannot be reached: ${code}`,
  tls: (code) => `cannot be trusted: TLS failed (${code})`,
  timeout: () => 'did not answer in time',
  connection: (code) => `cannot be reached: the connection broke (${code})`,
  redirects: (code) => `redirects ${code}`,
  tooLarge: (code) => `sent too much: ${code}`,
  response: (code) => `sent a malformed response (${code})`,
};

/** The error for a problem of a host; `code` is a detail that contains nothing of the request. */
export const unreachable = (host: string, problem: WebProblem, code = ''): UnreachableError =>
  new UnreachableError(`'${host}' ${TEXT_OF[problem](code)}`, problem);

/** The error that broke an exchange with a host, by its cause; an UnreachableError stays as it is. */
export function toUnreachable(host: string, error: unknown, hasTimedOut: boolean): UnreachableError {
  if (error instanceof UnreachableError) return error;
  if (hasTimedOut) return unreachable(host, 'timeout');
  const code = codeOf(error);
  const [, problem = 'connection'] = PREFIXES.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return unreachable(host, problem, code);
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message ?? 'unknown';
}

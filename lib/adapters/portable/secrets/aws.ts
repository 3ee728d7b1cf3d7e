import { ExternalSecretError, type ExternalSecretProblem } from '../../../ports/external-secrets.ts';
import type * as client from './aws-client.ts';
import type { SecretPlace } from './external-secrets.ts';

type Problem = readonly [ExternalSecretProblem, reason: string];

const NO_NAME: Problem = ['missing', 'AWS accepts no such name'];
const NOT_DECRYPTED: Problem = ['refused', 'AWS does not decrypt it for the service'];
const NO_CREDENTIALS: Problem = ['refused', 'the service has no valid credentials of AWS'];

/** The errors of both services and of their clients by their names; any other is a fault of the service. */
const PROBLEMS: Readonly<Record<string, Problem>> = {
  ResourceNotFoundException: ['missing', 'there is no such secret'],
  ParameterNotFound: ['missing', 'there is no such parameter'],
  ParameterVersionNotFound: ['missing', 'there is no such version of the parameter'],
  InvalidRequestException: ['missing', 'the secret is deleted, or has no value'],
  ValidationException: NO_NAME,
  InvalidParameterException: NO_NAME,
  AccessDeniedException: ['refused', 'AWS denies the service access'],
  DecryptionFailure: NOT_DECRYPTED,
  InvalidKeyId: NOT_DECRYPTED,
  UnrecognizedClientException: NO_CREDENTIALS,
  InvalidSignatureException: NO_CREDENTIALS,
  ExpiredTokenException: NO_CREDENTIALS,
  CredentialsProviderError: NO_CREDENTIALS,
};

/** The client finds no region; it has no error name for this. */
const NO_REGION = /Region is missing/;

/** Messages of AWS name roles and accounts, which are not for users. */
function toSecretError(error: unknown): ExternalSecretError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (NO_REGION.test(message)) return new ExternalSecretError('refused', 'no region is set: set AWS_REGION');
  const known = Object.hasOwn(PROBLEMS, name) ? PROBLEMS[name] : undefined;
  const [problem, reason] = known ?? (['unavailable', 'AWS does not answer'] as const);
  return new ExternalSecretError(problem, `${reason} (${name})`);
}

/** A read takes at most this time, with the attempts of the client, milliseconds. */
const READ_MS = 5_000;

/** A bundle has the module beside it: most functions never load the clients. */
async function openClients(config: client.AwsClientConfig) {
  const file = import.meta.url.endsWith('.ts') ? './aws-client.ts' : './aws-secrets.mjs';
  const { openAwsClients } = (await import(new URL(file, import.meta.url).href)) as typeof client;
  return openAwsClients(config);
}

/**
 * Secrets of Secrets Manager and parameters of Parameter Store, encrypted or not. Region, credentials and endpoint are those of
 * the environment unless the configuration has others.
 */
export function awsPlaces(config: client.AwsClientConfig = {}): {
  readonly secret: SecretPlace;
  readonly parameter: SecretPlace;
} {
  let opened: ReturnType<typeof openClients> | undefined;
  const placeOf =
    (kind: 'secret' | 'parameter'): SecretPlace =>
    async (name) => {
      opened ??= openClients(config);
      const clients = await opened;
      try {
        return await clients[kind](name, AbortSignal.timeout(READ_MS));
      } catch (error) {
        throw toSecretError(error);
      }
    };
  return { secret: placeOf('secret'), parameter: placeOf('parameter') };
}

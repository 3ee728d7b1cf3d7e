import {
  GetSecretValueCommand,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
} from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';

/** The configuration of both clients. */
export type AwsClientConfig = Pick<SecretsManagerClientConfig, 'region' | 'endpoint' | 'credentials' | 'maxAttempts'>;

/** Opens the clients of Secrets Manager and Parameter Store. The module is loaded at the first read: most services make none. */
export function openAwsClients(config: AwsClientConfig) {
  const secrets = new SecretsManagerClient(config);
  const parameters = new SSMClient(config);
  return {
    secret: async (SecretId: string, abortSignal: AbortSignal): Promise<string | undefined> => {
      const { SecretString, SecretBinary } = await secrets.send(new GetSecretValueCommand({ SecretId }), {
        abortSignal,
      });
      return SecretString ?? (SecretBinary && Buffer.from(SecretBinary).toString('utf8'));
    },
    parameter: async (Name: string, abortSignal: AbortSignal): Promise<string | undefined> => {
      const command = new GetParameterCommand({ Name, WithDecryption: true });
      return (await parameters.send(command, { abortSignal })).Parameter?.Value;
    },
  };
}

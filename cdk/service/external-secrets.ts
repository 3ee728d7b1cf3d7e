import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { secretSourcesIn } from '../../lib/domain/credentials/references.ts';
import type { SecretKind } from '../../lib/ports/external-secrets.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

type Given = Pick<Settings, 'secretSources' | 'vault'>;

const sourcesOf = ({ secretSources }: Given) => secretSourcesIn(secretSources.join(' '));

/** The environment variables with the secrets outside the service that namespaces may use. */
export function externalSecretsEnvironment(settings: Given): Record<string, string> {
  const { secretSources, vault } = settings;
  return {
    ...(secretSources.length > 0 && { WEFT_SECRET_SOURCES: JSON.stringify(sourcesOf(settings)) }),
    ...(vault && { VAULT_ADDR: vault.address, VAULT_LOGIN_PARAMETER: vault.login }),
    ...(vault?.namespace && { VAULT_NAMESPACE: vault.namespace }),
  };
}

/** A service of AWS with secrets. */
interface SecretService {
  readonly service: string;
  readonly action: string;
  /** What its ARN has before the name. */
  readonly resource: string;
  /** What the ARN of a secret has after its name. */
  readonly end: string;
  /** The member of the encryption context with the ARN of the secret. */
  readonly context: string;
}

const SERVICES: Readonly<Partial<Record<SecretKind, SecretService>>> = {
  'aws-sm': {
    service: 'secretsmanager',
    action: 'GetSecretValue',
    resource: 'secret:',
    end: '-??????',
    context: 'SecretARN',
  },
  'aws-ssm': {
    service: 'ssm',
    action: 'GetParameter',
    resource: 'parameter',
    end: '',
    context: 'PARAMETER_ARN',
  },
};

const REASON = 'The secrets that the settings `secretSources` and `vault` name, and their decryption.';

function grantNames(
  role: IRole,
  { service, action, resource, context }: SecretService,
  names: readonly string[],
): void {
  const { partition, region, account } = Stack.of(role);
  const place = (of: string) => `arn:${partition}:${of}:${region}:${account}`;
  const arns = names.map((name) => `${place(service)}:${resource}${name}`);
  allow(role, service, [action], arns);
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [`${place('kms')}:key/*`],
      conditions: {
        StringEquals: { 'kms:ViaService': `${service}.${region}.amazonaws.com` },
        StringLike: { [`kms:EncryptionContext:${context}`]: arns },
      },
    }),
  );
  const shown = (of: string) => `IAM5[Resource::arn:<AWS::Partition>:${of}:<AWS::Region>:<AWS::AccountId>`;
  const patterns = names.filter((name) => name.includes('*')).map((name) => `${shown(service)}:${resource}${name}]`);
  acknowledge(role, Object.fromEntries([...patterns, `${shown('kms')}:key/*]`].map((id) => [id, REASON])));
}

/** Allows a role to read the secrets of AWS that namespaces may use, and the login to Vault. */
export function grantExternalSecrets(settings: Given, role: IRole): void {
  const login = settings.vault && { kind: 'aws-ssm' as const, name: settings.vault.login, isPrefix: false };
  const sources = [...sourcesOf(settings), ...(login ? [login] : [])];
  for (const [kind, service] of Object.entries(SERVICES)) {
    const names = sources
      .filter((source) => source.kind === kind)
      .map(({ name, isPrefix }) => name.replace('{namespace}', '*') + (isPrefix ? '*' : service.end));
    if (names.length > 0) grantNames(role, service, names);
  }
}

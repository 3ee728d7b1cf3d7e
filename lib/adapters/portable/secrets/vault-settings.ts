import { isObject } from '../../../language/json.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import { ExternalSecretError } from '../../../ports/external-secrets.ts';
import type { SecretPlace } from './external-secrets.ts';
import { type VaultLogin, vaultPlace } from './vault.ts';

/** The server of Vault and how the service logs in. */
export interface VaultSettings {
  readonly address: string;
  readonly namespace: string | undefined;
  /** The login, or the encrypted parameter of Parameter Store that has it as JSON. */
  readonly login: VaultLogin | { readonly parameter: string };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables of Vault's own clients. Undefined without VAULT_ADDR. Throws Error with a message for the operator. */
export function vaultSettings(environment: Environment): VaultSettings | undefined {
  const { VAULT_ADDR: address, VAULT_NAMESPACE: namespace, VAULT_TOKEN: token } = environment;
  const { VAULT_ROLE_ID: roleId, VAULT_SECRET_ID: secretId, VAULT_LOGIN_PARAMETER: parameter } = environment;
  if (!address) return undefined;
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? '')) {
    throw new Error(`VAULT_ADDR is '${address}'; it must be a URL such as https://vault.example.com:8200`);
  }
  const server = { address, namespace: namespace || undefined };
  if (parameter) return { ...server, login: { parameter } };
  if (roleId && secretId) return { ...server, login: { roleId, secretId } };
  if (token) return { ...server, login: { token } };
  throw new Error('VAULT_ADDR needs VAULT_TOKEN, or VAULT_ROLE_ID and VAULT_SECRET_ID, as well');
}

/** The login in a parameter: `{"token": …}` or `{"roleId": …, "secretId": …}`. */
function toLogin(text: unknown): VaultLogin {
  try {
    const login = parseJson(typeof text === 'string' ? text : '');
    const { token, roleId, secretId } = isObject(login) ? login : {};
    if (typeof token === 'string') return { token };
    if (typeof roleId === 'string' && typeof secretId === 'string') return { roleId, secretId };
  } catch {
    // The message of the parser quotes the text.
  }
  throw new ExternalSecretError(
    'refused',
    'the parameter with the login to Vault has neither token nor roleId and secretId',
  );
}

/** The place for Vault, or why there is none. `parameter` reads Parameter Store. */
export function vaultPlaceOf(
  settings: VaultSettings | undefined,
  parameter: SecretPlace,
  now: () => number,
): SecretPlace | string {
  if (settings === undefined) return 'the operator has set no address of Vault';
  const { address, namespace, login } = settings;
  const readLogin = async () => ('parameter' in login ? toLogin(await parameter(login.parameter)) : login);
  return vaultPlace({ address, namespace, login: readLogin, now });
}

/** The kinds of places outside the service that hold secrets, as references begin with them. */
export type SecretKind = 'aws-sm' | 'aws-ssm' | 'vault' | 'env';

/** A secret outside the service. */
export interface Reference {
  readonly kind: SecretKind;
  /** A secret of Secrets Manager, a parameter, the mount and path in Vault, or an environment variable. */
  readonly name: string;
  /** The member of the JSON object that is stored there; absent: the whole text. */
  readonly field?: string | undefined;
}

/** Secrets outside the service that the operator lets namespaces use. */
export interface SecretSource {
  readonly kind: SecretKind;
  /** A name, or the beginning of names. `{namespace}` in it stands for the name of each namespace. */
  readonly name: string;
  readonly isPrefix: boolean;
  /** The namespace that may use it, `*` for every one; absent if the name has `{namespace}`. */
  readonly namespace?: string | undefined;
}

/** Why a secret outside the service has no value. */
export type ExternalSecretProblem =
  /** The operator does not let the namespace use it, or the service has no access to it. */
  | 'refused'
  /** There is no such secret, or no text in it. */
  | 'missing'
  /** The place is at fault, cannot be reached, or throttles the service. */
  | 'unavailable';

/** A secret outside the service has no value. The message names the cause for the user; it holds no secret. */
export class ExternalSecretError extends Error {
  override readonly name = 'ExternalSecretError';
  readonly problem: ExternalSecretProblem;
  constructor(problem: ExternalSecretProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Secrets that are stored outside the service. */
export interface ExternalSecrets {
  /**
   * Returns the text of a secret as it was at most `maxAgeMs` milliseconds ago. It does not check who may use it. Throws
   * ExternalSecretError.
   */
  read(reference: Reference, maxAgeMs: number): Promise<string>;
}

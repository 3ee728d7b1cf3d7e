import { invalidField, ServiceError } from './errors.ts';

/** The longest media type of a variable, characters: lists contain it, and it is in the item of the variable. */
export const MAX_MIME_LENGTH = 1000;

/** The regular expressions of names (workflow-language reference, 1.5). */
const NAMESPACE = /^(([a-z][a-z0-9_\-.]*[a-z0-9])|([a-z]))$/;
/** Version 0.8 of the original allows capitals in the tree (decision 32). */
const NODE = /^(([a-zA-Z][a-zA-Z0-9_\-.]*[a-zA-Z0-9])|([a-zA-Z]))$/;
const VARIABLE = /^(([a-zA-Z][a-zA-Z0-9_\-.]*[a-zA-Z0-9])|([a-zA-Z]))$/;
/** Names of revisions and tags (rest-api reference, A.2). */
const REF = /^(([a-zA-Z0-9][a-zA-Z0-9_\-.]*[a-zA-Z0-9])|([a-zA-Z0-9]))$/;
/** Secrets are in folders (workflow-language reference, 1.5); a name that ends in a slash is a folder. */
const SECRET = /^(([a-zA-Z][a-zA-Z0-9_\-./]*[a-zA-Z0-9/])|([a-zA-Z/]))$/;
const MAX_NAMESPACE_LENGTH = 64;
/** The sort key of a node is its name; DynamoDB's maximum for a sort key is 1,024 bytes. */
const MAX_LENGTH = 1000;

/** Whether the text is a valid name of a directory or workflow. */
export function isNodeName(name: string): boolean {
  return NODE.test(name) && name.length <= MAX_LENGTH;
}

/** Whether the text is a valid name of a variable. */
export function isVariableName(name: string): boolean {
  return VARIABLE.test(name) && name.length <= MAX_LENGTH;
}

/** Whether the text is a valid name of a secret or of a folder of secrets. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) && name.length <= MAX_LENGTH;
}

/** Whether the text is a valid name of a namespace. Readers check this first: the database rejects a key that is too long. */
export function isNamespaceName(name: string): boolean {
  return NAMESPACE.test(name) && name.length <= MAX_NAMESPACE_LENGTH;
}

/** Whether the text is a valid name of a revision or tag. */
export function isRefName(name: string): boolean {
  return REF.test(name) && name.length <= MAX_LENGTH;
}

/** A name, as an error repeats it. */
const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** Throws `invalid` (406) unless the text is a valid name of a namespace. */
export function needNamespaceName(name: string): void {
  if (isNamespaceName(name)) return;
  throw invalidField(
    `the name of a namespace has at most ${MAX_NAMESPACE_LENGTH} characters and matches ${NAMESPACE.source}`,
  );
}

/** Throws `invalid` (406) unless the text is a valid name of a directory or workflow. */
export function needNodeName(name: string): void {
  if (!isNodeName(name))
    throw invalidField(`'${shown(name)}' does not match ${NODE.source}, or is longer than ${MAX_LENGTH} characters`);
}

/** Throws `invalid` (406) unless the text is a valid name of a variable. */
export function needVariableName(name: string): void {
  if (!isVariableName(name))
    throw invalidField(
      `'${shown(name)}' does not match ${VARIABLE.source}, or is longer than ${MAX_LENGTH} characters`,
    );
}

/** Throws `refused` (500, rest-api reference, 9) unless the text is a valid name of a secret or of a folder of secrets. */
export function needSecretName(name: string): void {
  if (isSecretName(name)) return;
  // Clients know exactly this text.
  const expression = SECRET.source.replace('_\\-.', '_\\-\\.');
  const limit = name.length > MAX_LENGTH ? `, and have ${MAX_LENGTH} characters at most` : '';
  throw new ServiceError('refused', `secret name must match the regex pattern \`${expression}\`${limit}`);
}

/**
 * Returns the segments of a path in the tree: `a/b/`, `/a//b` and `a/b` are the same; the root has none. Throws `invalid`
 * for a segment `.` or `..`.
 */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const relative = segments.find((segment) => segment === '.' || segment === '..');
  if (relative !== undefined) throw new ServiceError('invalid', `a path must not contain '${relative}'`);
  return segments;
}

/** The inverse of `segmentsOf`, with a leading slash. */
export function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}

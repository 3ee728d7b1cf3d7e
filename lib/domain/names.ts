import { invalidField, ServiceError } from './errors.ts';

/** The regular expressions of names (workflow-language reference, 1.5). */
const NODE = /^(([a-z][a-z0-9_\-.]*[a-z0-9])|([a-z]))$/;
const VARIABLE = /^(([a-zA-Z][a-zA-Z0-9_\-.]*[a-zA-Z0-9])|([a-zA-Z]))$/;
/** Names of revisions and tags (rest-api reference, A.2). */
const REF = /^(([a-zA-Z0-9][a-zA-Z0-9_\-.]*[a-zA-Z0-9])|([a-zA-Z0-9]))$/;
/** Secrets lie in folders (workflow-language reference, 1.5); a name that ends in a slash is a folder. */
const SECRET = /^(([a-zA-Z][a-zA-Z0-9_\-./]*[a-zA-Z0-9/])|([a-zA-Z/]))$/;
const LONGEST_NAMESPACE = 64;
/** DynamoDB's limit of a sort key is 1,024 bytes; a node's name is one. */
const LONGEST_NAME = 1000;

export function isNodeName(name: string): boolean {
  return NODE.test(name) && name.length <= LONGEST_NAME;
}

export function isVariableName(name: string): boolean {
  return VARIABLE.test(name) && name.length <= LONGEST_NAME;
}

export function isSecretName(name: string): boolean {
  return SECRET.test(name) && name.length <= LONGEST_NAME;
}

/** What is no name is never asked of the database, whose keys have a longest length. */
export function isNamespaceName(name: string): boolean {
  return NODE.test(name) && name.length <= LONGEST_NAMESPACE;
}

export function isRefName(name: string): boolean {
  return REF.test(name) && name.length <= LONGEST_NAME;
}

/** A name as an error repeats it. */
const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name);

/** Throws `invalid` (406) unless the text may name a namespace. */
export function needNamespaceName(name: string): void {
  if (isNamespaceName(name)) return;
  throw invalidField(`a namespace is named by ${LONGEST_NAMESPACE} characters at most, matching ${NODE.source}`);
}

/** Throws `invalid` (406) unless the text may name a directory or workflow. */
export function needNodeName(name: string): void {
  if (!isNodeName(name))
    throw invalidField(`'${shown(name)}' does not match ${NODE.source}, or is longer than ${LONGEST_NAME}`);
}

/** Throws `invalid` (406) unless the text may name a variable. */
export function needVariableName(name: string): void {
  if (!isVariableName(name))
    throw invalidField(`'${shown(name)}' does not match ${VARIABLE.source}, or is longer than ${LONGEST_NAME}`);
}

/** Throws `refused` (500, rest-api reference, 9) unless the text may name a secret or a folder of them. */
export function needSecretName(name: string): void {
  if (isSecretName(name)) return;
  // The text is the one that clients know, to the letter.
  const expression = SECRET.source.replace('_\\-.', '_\\-\\.');
  const limit = name.length > LONGEST_NAME ? `, and have ${LONGEST_NAME} characters at most` : '';
  throw new ServiceError('refused', `secret name must match the regex pattern \`${expression}\`${limit}`);
}

/** The segments of a tree path; `a/b/`, `/a//b` and `a/b` are the same. The root has none. */
export function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const odd = segments.find((segment) => segment === '.' || segment === '..');
  if (odd !== undefined) throw new ServiceError('invalid', `a path may not hold '${odd}'`);
  return segments;
}

export function pathOf(segments: readonly string[]): string {
  return `/${segments.join('/')}`;
}

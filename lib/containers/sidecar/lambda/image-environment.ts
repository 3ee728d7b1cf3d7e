/** Variables that Node, its dynamic loader and OpenSSL read as settings. */
const OF_NODE = /^(?:NODE|LD|OPENSSL)_/;
/** Variables that Lambda sets, whatever an image has under these names. */
const OF_LAMBDA =
  /^(?:_HANDLER|_X_AMZN_.*|LAMBDA_.*|AWS_(?:LAMBDA_.*|XRAY_.*|EXECUTION_ENV|REGION|DEFAULT_REGION|ACCESS_KEY|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))$/;
const PREFIX = 'WEFT_OF_IMAGE_';

/**
 * A variable of an image, `NAME=value`, for the image's configuration on Lambda: with a prefix where Lambda, or the
 * Node of the sidecar, would read or overwrite it.
 */
export function escapeVariable(variable: string): string {
  const [name = ''] = variable.split('=', 1);
  return OF_NODE.test(name) || OF_LAMBDA.test(name) ? PREFIX + variable : variable;
}

/**
 * The environment of the image, from that of the sidecar: without the variables of Lambda, which hold credentials, and
 * with the escaped variables under their own names, where they take precedence.
 */
export function imageEnvironmentOf(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(([name]) => !OF_LAMBDA.test(name));
  const escaped = own.filter(([name]) => name.startsWith(PREFIX));
  return Object.fromEntries([...own, ...escaped].map(([name, value]) => [withoutPrefix(name), value]));
}

const withoutPrefix = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name);

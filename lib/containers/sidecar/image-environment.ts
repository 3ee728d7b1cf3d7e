/** What Node, the loader of its libraries and its cryptography would take for settings of their own. */
const OF_NODE = /^(?:NODE|LD|OPENSSL)_/;
/** What Lambda puts into an environment, over whatever an image has of these names. */
const OF_LAMBDA =
  /^(?:_HANDLER|_X_AMZN_.*|LAMBDA_.*|AWS_(?:LAMBDA_.*|XRAY_.*|EXECUTION_ENV|REGION|DEFAULT_REGION|ACCESS_KEY|ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))$/;
const MARK = 'WEFT_OF_IMAGE_';

/** A variable of an image, `NAME=value`, under a name that is nothing to Lambda and to the Node that runs beside it. */
export function laidBy(variable: string): string {
  const [name = ''] = variable.split('=', 1);
  return OF_NODE.test(name) || OF_LAMBDA.test(name) ? MARK + variable : variable;
}

/**
 * An environment as the image has it: without what Lambda put into it, its credentials above all. What was laid under
 * another name counts more than what Lambda has of that name, such as a path of libraries.
 */
export function ownOf(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(([name]) => !OF_LAMBDA.test(name));
  const laid = own.filter(([name]) => name.startsWith(MARK));
  return Object.fromEntries([...own, ...laid].map(([name, value]) => [restored(name), value]));
}

const restored = (name: string): string => (name.startsWith(MARK) ? name.slice(MARK.length) : name);

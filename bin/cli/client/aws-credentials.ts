import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SigningCredentials } from '../../../lib/adapters/portable/aws-signature.ts';
import { CommandFailedError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { textAt } from './replies.ts';

const REMEDY = 'or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';

/** A user may have to answer a question about a second factor. */
const MAX_MS = 60_000;

function toProblem(error: unknown): CommandFailedError {
  const { code, stderr = '', message } = error as NodeJS.ErrnoException & { readonly stderr?: string };
  if (code === 'ENOENT') {
    return new CommandFailedError(`the command line of AWS, 'aws', is not installed: install it, ${REMEDY}`);
  }
  if (/invalid choice/i.test(stderr)) {
    return new CommandFailedError(`version 1 of the command line of AWS exports no credentials: install 2, ${REMEDY}`);
  }
  const reason = stderr.trim().split('\n').at(-1) || message;
  return new CommandFailedError(`no credentials of AWS: ${reason}; set AWS_PROFILE, ${REMEDY}`);
}

/** The credentials that the command line of AWS would use: of a profile, `aws sso login`, a container or a machine. */
async function exportedCredentials(env: Terminal['env']): Promise<SigningCredentials> {
  let exported: unknown;
  try {
    const args = ['configure', 'export-credentials', '--format', 'process'];
    const { stdout } = await promisify(execFile)('aws', args, { env: { ...env }, timeout: MAX_MS });
    exported = JSON.parse(stdout);
  } catch (error) {
    throw toProblem(error);
  }
  const sessionToken = textAt(exported, 'SessionToken') || undefined;
  const [accessKeyId, secretAccessKey] = [textAt(exported, 'AccessKeyId'), textAt(exported, 'SecretAccessKey')];
  return { accessKeyId, secretAccessKey, sessionToken };
}

/**
 * The credentials of AWS in the environment, or those that its command line exports, which knows all other places. Throws
 * CommandFailedError if there are none.
 */
export async function credentialsIn(env: Terminal['env']): Promise<SigningCredentials> {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  if (AWS_PROFILE || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return exportedCredentials(env);
  const sessionToken = AWS_SESSION_TOKEN || undefined;
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, sessionToken };
}

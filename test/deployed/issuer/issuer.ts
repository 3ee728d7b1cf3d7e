import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AUDIENCE } from './programs.ts';

/** The environment variable with the URL of the issuer that the deployments trust. */
export const ISSUER = 'WEFT_TEST_ISSUER';

/** The namespace of those who sign in. */
export const NAMESPACE = 'signed-in';

/** The name of the deployments in tokens of IAM. */
export const IAM_AUDIENCE = 'deployed.example.com';

const GRANT = { permission: 'read', namespaces: [NAMESPACE] };

/** The settings of a deployment that trusts an issuer, and the account of the emulator. */
export const signInOptions = (issuer: string) => ({
  oidc: JSON.stringify({ issuer, audience: AUDIENCE, groups: { shop: GRANT } }),
  iam: JSON.stringify({ audience: IAM_AUDIENCE, principals: { 'arn:aws:iam::000000000000:root': GRANT } }),
});

/** An issuer in a process of its own. */
export interface IssuerProcess {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts an issuer on loopback. */
export async function startIssuerProcess(): Promise<IssuerProcess> {
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.stdin.end();
    await exit;
  };
  const line = once(createInterface({ input: child.stdout }), 'line').then(([url]) => String(url));
  const ended = exit.then(([code]) => {
    throw new Error(`the issuer of the tests ended with ${code}`);
  });
  return { url: await Promise.race([line, ended]), stop };
}

import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chooseTarget } from '../../bin/cli/client/target.ts';
import { iamTokens } from '../../lib/adapters/portable/tokens/iam-tokens.ts';
import { type Sts, startSts } from '../contract/sts.ts';
import { answerJson, type FakeServer, openFakeServer } from './fake-server.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const ADA = { accessKeyId: 'AKIAADA', secretAccessKey: 's', arn: 'arn:aws:iam::123456789012:user/ada', userId: 'AIDA' };

let sts: Sts;
let server: FakeServer;
let workspace: Workspace;

beforeAll(async () => {
  sts = await startSts([ADA]);
  server = await openFakeServer((_, response) => answerJson(response, { api: '1.0.0', results: [] }));
  workspace = await openWorkspace();
});
afterAll(async () => {
  await workspace.clear();
  server.close();
  await sts.close();
});

const KEYS = { AWS_ACCESS_KEY_ID: ADA.accessKeyId, AWS_SECRET_ACCESS_KEY: ADA.secretAccessKey };
const environment = () => ({ WEFT_URL: server.url, AWS_ENDPOINT_URL_STS: sts.url });

/** Who signed the last request, by a service of this name. */
async function callerFor(audience: string): Promise<string> {
  const token = server.asked.at(-1)?.headers.authorization?.replace('Bearer ', '') ?? '';
  return (await iamTokens({ audience, principals: {} }, Date.now, sts.url).verify(token)).name;
}

test('with the key aws-iam, requests have a token of the credentials of AWS for this service alone', async () => {
  const env = { ...environment(), ...KEYS, WEFT_KEY: 'aws-iam' };
  expect(await workspace.weft(['namespaces', 'list'], { env })).toMatchObject({ code: 0, err: '' });
  expect(await callerFor(new URL(server.url).host)).toBe(ADA.arn);
  await expect(callerFor('other.example.com')).rejects.toThrow('AWS refuses the signature');
  // A token is too long for three headers.
  expect(server.asked.at(-1)?.headers).not.toHaveProperty('service-api-key');
});

test('a login stores aws-iam, and later commands sign by the profile of AWS', async () => {
  const login = ['login', '--url', server.url, '--key', 'aws-iam'];
  const home = { WEFT_URL: '', AWS_ENDPOINT_URL_STS: sts.url };
  expect(await workspace.weft(login, { env: { ...home, ...KEYS } })).toMatchObject({ code: 0 });
  // As the command line of AWS: it reads the profiles.
  const exported = { Version: 1, AccessKeyId: ADA.accessKeyId, SecretAccessKey: ADA.secretAccessKey };
  const script = `#!/bin/sh\n[ "$AWS_PROFILE $*" = 'ada configure export-credentials --format process' ] || {\n  echo >&2 "The config profile ($AWS_PROFILE) could not be found"; exit 255\n}\necho '${JSON.stringify(exported)}'\n`;
  await workspace.write({ aws: script });
  await chmod(join(workspace.folder, 'aws'), 0o755);
  const listAs = (AWS_PROFILE: string, PATH = workspace.folder) =>
    workspace.weft(['namespaces', 'list'], { env: { ...home, AWS_PROFILE, PATH } });
  expect(await listAs('ada')).toMatchObject({ code: 0 });
  expect(await callerFor(new URL(server.url).host)).toBe(ADA.arn);
  const remedy = 'or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  expect(await listAs('eve')).toMatchObject({
    code: 1,
    err: `weft: no credentials of AWS: The config profile (eve) could not be found; set AWS_PROFILE, ${remedy}\n`,
  });
  await workspace.write({
    aws: '#!/bin/sh\necho >&2 "argument subcommand: Invalid choice, valid choices are:\nlist"; exit 2\n',
  });
  expect((await listAs('ada')).err).toBe(
    `weft: version 1 of the command line of AWS exports no credentials: install 2, ${remedy}\n`,
  );
  expect((await listAs('ada', join(workspace.folder, 'none'))).err).toBe(
    `weft: the command line of AWS, 'aws', is not installed: install it, ${remedy}\n`,
  );
});

test('a file of the folder does not have a user sign for the service that it alone names', () => {
  const ofFolder = { name: '.weft.yaml', url: 'http://stranger', isOfFolder: true, key: 'aws-iam' };
  expect(() => chooseTarget([ofFolder])).toThrow('the key of .weft.yaml is not sent to http://stranger');
  expect(chooseTarget([ofFolder], ['http://stranger'])).toMatchObject({ key: 'aws-iam' });
});

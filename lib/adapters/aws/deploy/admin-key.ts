import { randomBytes } from 'node:crypto';
import {
  DeleteParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { systemClock } from '../../portable/clock.ts';

/** The length of an AES-256 key. */
const KEY_BYTES = 32;

/** The keys that a deployment creates: their description, and the value of a new key. */
const KINDS = {
  /** In the form that the vault reads. */
  admin: {
    about: 'The administrative key of the API',
    make: () => JSON.stringify({ apikey: systemClock().secret() }),
  },
  /** In the form that the sealer reads. */
  root: {
    about: 'The root key of all secrets: without it no secret can be decrypted',
    make: () => randomBytes(KEY_BYTES).toString('base64'),
  },
};

/** Creates an encrypted parameter with a new key. A parameter that exists stays unchanged. */
export async function makeKey(name: string, kind: keyof typeof KINDS, client = new SSMClient()): Promise<void> {
  const { about, make } = KINDS[kind];
  const command = new PutParameterCommand({
    Name: name,
    Type: 'SecureString',
    Value: make(),
    Description: about,
    Overwrite: false,
  });
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ParameterAlreadyExists)) throw error;
  });
}

/** Deletes the parameter; one that does not exist is deleted already. */
export async function removeKey(name: string, client = new SSMClient()): Promise<void> {
  await client.send(new DeleteParameterCommand({ Name: name })).catch((error: unknown) => {
    if (!(error instanceof ParameterNotFound)) throw error;
  });
}

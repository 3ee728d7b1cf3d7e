import { randomBytes } from 'node:crypto';
import {
  DeleteParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { systemClock } from '../../portable/clock.ts';

/** Of AES-256. */
const KEY_BYTES = 32;

/** The keys that are made with the stack: what tells them apart, and the text of a new one. */
const KINDS = {
  /** As the vault reads it. */
  admin: {
    about: 'The administrative key of the interface',
    make: () => JSON.stringify({ apikey: systemClock().secret() }),
  },
  /** As the sealer reads it. */
  root: {
    about: 'The root key of all secrets: without it none of them opens, ever',
    make: () => randomBytes(KEY_BYTES).toString('base64'),
  },
};

/** Makes an encrypted parameter with a new key; one that is there already stays as it is. */
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

/** Removes the parameter; one that is not there is removed already. */
export async function removeKey(name: string, client = new SSMClient()): Promise<void> {
  await client.send(new DeleteParameterCommand({ Name: name })).catch((error: unknown) => {
    if (!(error instanceof ParameterNotFound)) throw error;
  });
}

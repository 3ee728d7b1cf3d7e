import type { Command } from './command.ts';
import { keys } from './keys.ts';
import { validate } from './validate.ts';
import { version } from './version.ts';

/** All commands by their names. */
export const COMMANDS: Readonly<Record<string, Command>> = { validate, keys, version };

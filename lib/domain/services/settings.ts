import type { Settings } from '../../ports/settings.ts';
import { ServiceError } from '../errors.ts';
import { toWords } from './commands.ts';

export type Size = 0 | 1 | 2;

/** What a container is to be. */
export interface ServiceSettings {
  readonly image: string;
  /** The words of the command; none: the image's own. */
  readonly command: readonly string[];
  readonly size: Size;
  /** How many are kept running though nobody calls. */
  readonly minScale: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The same as users say it; numbers come quoted too (rest-api reference, 11.1). */
export interface Wish {
  readonly image: string;
  readonly cmd: string;
  readonly size: number | string;
  readonly minScale: number | string;
  readonly envs: Readonly<Record<string, string>>;
}

export type Limits = { readonly settings: Pick<Settings, 'maxScale'> };

const MAX_SCALE = 3;
/** Of an image's name, in characters. */
const LONGEST_IMAGE = 1000;
/** Of a wrong value, in characters, as an error repeats it. */
const LONGEST_SHOWN = 60;
/** Of all that is kept of a revision, in bytes: a service with all its revisions is one item. */
const LARGEST = 20_000;

const SIZES: ReadonlyMap<string, Size> = new Map([
  ['small', 0],
  ['medium', 1],
  ['large', 2],
  ['0', 0],
  ['1', 1],
  ['2', 2],
]);
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** The most copies that a user may ask to be kept running. */
export const maxScaleOf = ({ settings }: Limits): number => settings.maxScale ?? MAX_SCALE;

const invalid = (message: string): ServiceError => new ServiceError('invalid', message);

/** An unknown number is small (rest-api reference, 11.1), an unknown word a mistake. */
function toSize(size: number | string): Size {
  const known = SIZES.get(String(size).toLowerCase());
  if (known !== undefined) return known;
  if (/^\d+$/.test(String(size)) || size === '') return 0;
  throw invalid(`size is '${String(size).slice(0, LONGEST_SHOWN)}'; it is small, medium or large, or 0, 1 or 2`);
}

function toScale(minScale: number | string, most: number): number {
  const scale = Number(minScale);
  if (scale < 0) throw invalid(`minScale is ${minScale}; it is a whole number from 0 to ${most}`);
  return Math.min(scale, most);
}

function needImage(image: string): string {
  if (image === '') throw invalid('image is missing: name a container image, for example example/greeter:1.0');
  if (image.length <= LONGEST_IMAGE && !/\s/.test(image)) return image;
  throw invalid(`image is no name of an image: it has spaces, or more than ${LONGEST_IMAGE} characters`);
}

function needEnvironment(envs: Wish['envs']): Wish['envs'] {
  const odd = Object.keys(envs).find((name) => !VARIABLE.test(name));
  if (odd === undefined) return envs;
  throw invalid(
    `envs: '${odd.slice(0, LONGEST_SHOWN)}' is no name of an environment variable; it matches ${VARIABLE.source}`,
  );
}

/** Before it is split: a command far too long is not to be gone through. */
function needCommand(cmd: string): string {
  if (cmd.length <= LARGEST) return cmd;
  throw new ServiceError('too-large', `cmd has ${cmd.length} characters; at most ${LARGEST} fit`);
}

/**
 * Reads what a user wants. A scale above the installation's is lowered to it (rest-api reference, 11.1). Throws
 * `invalid` and `too-large`, naming the field.
 */
export function toSettings(limits: Limits, wish: Wish): ServiceSettings {
  const settings: ServiceSettings = {
    image: needImage(wish.image.trim()),
    command: toWords(needCommand(wish.cmd)),
    size: toSize(wish.size),
    minScale: toScale(wish.minScale, maxScaleOf(limits)),
    environment: needEnvironment(wish.envs),
  };
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes <= LARGEST) return settings;
  throw new ServiceError('too-large', `image, cmd and envs have ${bytes} bytes together; at most ${LARGEST} fit`);
}

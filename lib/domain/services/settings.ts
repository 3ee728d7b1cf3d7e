import type { Settings } from '../../ports/settings.ts';
import { ServiceError } from '../errors.ts';
import { toWords } from './commands.ts';

export type Size = 0 | 1 | 2;

/** The settings of a revision. */
export interface ServiceSettings {
  readonly image: string;
  /** The words of the command; empty: the command of the image. */
  readonly command: readonly string[];
  readonly size: Size;
  /** The number of copies that run without a call. */
  readonly minScale: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The settings as requests contain them; a number can be a text (rest-api reference, 11.1). */
export interface ServiceInput {
  readonly image: string;
  readonly cmd: string;
  readonly size: number | string;
  readonly minScale: number | string;
  readonly envs: Readonly<Record<string, string>>;
}

export type Limits = { readonly settings: Pick<Settings, 'maxScale'> };

const DEFAULT_MAX_SCALE = 3;
const MAX_IMAGE_LENGTH = 1000;
/** The maximum length of an invalid value in an error. */
const MAX_SHOWN = 60;
/** The maximum size of the settings, bytes: a service with all its revisions is one item. */
const MAX_BYTES = 20_000;

const SIZES: ReadonlyMap<string, Size> = new Map([
  ['small', 0],
  ['medium', 1],
  ['large', 2],
  ['0', 0],
  ['1', 1],
  ['2', 2],
]);
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/** The maximum of `minScale`. */
export const maxScaleOf = ({ settings }: Limits): number => settings.maxScale ?? DEFAULT_MAX_SCALE;

const invalid = (message: string): ServiceError => new ServiceError('invalid', message);

/** An unknown number is `small` (rest-api reference, 11.1); an unknown word is an error. */
function toSize(size: number | string): Size {
  const known = SIZES.get(String(size).toLowerCase());
  if (known !== undefined) return known;
  if (/^\d+$/.test(String(size)) || size === '') return 0;
  throw invalid(`size is '${String(size).slice(0, MAX_SHOWN)}'; it is small, medium or large, or 0, 1 or 2`);
}

function toScale(minScale: number | string, max: number): number {
  const scale = Number(minScale);
  if (scale < 0) throw invalid(`minScale is ${minScale}; it is a whole number from 0 to ${max}`);
  return Math.min(scale, max);
}

function needImage(image: string): string {
  if (image === '') throw invalid('image is missing: name a container image, for example example/greeter:1.0');
  if (image.length <= MAX_IMAGE_LENGTH && !/\s/.test(image)) return image;
  throw invalid(`image is not the name of an image: it has spaces, or more than ${MAX_IMAGE_LENGTH} characters`);
}

function needEnvironment(envs: ServiceInput['envs']): ServiceInput['envs'] {
  const odd = Object.keys(envs).find((name) => !VARIABLE.test(name));
  if (odd === undefined) return envs;
  throw invalid(
    `envs: '${odd.slice(0, MAX_SHOWN)}' is not a valid name of an environment variable, which matches ${VARIABLE.source}`,
  );
}

/** Checks the length first: splitting a very long command takes long. */
function needCommand(cmd: string): string {
  if (cmd.length <= MAX_BYTES) return cmd;
  throw new ServiceError('too-large', `cmd has ${cmd.length} characters; at most ${MAX_BYTES} fit`);
}

/**
 * Parses the settings of a request. A `minScale` above the maximum is reduced to it (rest-api reference, 11.1). Throws
 * `invalid` and `too-large`; the message names the field.
 */
export function toSettings(limits: Limits, input: ServiceInput): ServiceSettings {
  const settings: ServiceSettings = {
    image: needImage(input.image.trim()),
    command: toWords(needCommand(input.cmd)),
    size: toSize(input.size),
    minScale: toScale(input.minScale, maxScaleOf(limits)),
    environment: needEnvironment(input.envs),
  };
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes <= MAX_BYTES) return settings;
  throw new ServiceError('too-large', `image, cmd and envs have ${bytes} bytes together; at most ${MAX_BYTES} fit`);
}

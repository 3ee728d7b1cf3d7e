import type { RegistryCredentials } from '../../ports/containers.ts';
import { hostOf } from './image-names.ts';

/** Why a revision cannot run: one word, and the words for the user. */
export class Unfit extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Why an image cannot be had, by the word for it. */
export const IMAGE_WORDS = {
  Unauthorized: (image: string, fitting: readonly RegistryCredentials[]): string =>
    fitting.length === 0
      ? `the registry ${hostOf(image)} does not hand out the image '${image}' without credentials: store them as a registry with that host, or check the image's name`
      : `the registry ${hostOf(image)} refuses the credentials of ${fitting.map(({ user }) => `'${user}'`).join(', ')} for the image '${image}': store the right ones`,
  ImageNotFound: (image: string): string =>
    `the registry ${hostOf(image)} has no image '${image}': check its name and tag`,
  InvalidImageName: (image: string): string => `'${image}' is no name of an image`,
  RegistryUnreachable: (image: string): string =>
    `the registry ${hostOf(image)} cannot be reached, so the image '${image}' cannot be fetched`,
} as const;

/** The refusal in these words. */
export function unfit(
  reason: keyof typeof IMAGE_WORDS,
  image: string,
  fitting: readonly RegistryCredentials[] = [],
): Unfit {
  return new Unfit(reason, IMAGE_WORDS[reason](image, fitting));
}

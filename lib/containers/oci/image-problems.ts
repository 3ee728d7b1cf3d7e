import type { RegistryCredentials } from '../../ports/containers.ts';
import { RevisionFailedError } from '../errors.ts';
import { registryHostOf } from './image-names.ts';

/** Why an image cannot be fetched: the message for the user, by the reason of the revision's condition. */
export const IMAGE_PROBLEMS = {
  Unauthorized: (image: string, credentials: readonly RegistryCredentials[]): string =>
    credentials.length === 0
      ? `the registry ${registryHostOf(image)} does not hand out the image '${image}' without credentials: store them as a registry with that host, or check the image's name`
      : `the registry ${registryHostOf(image)} refuses the credentials of ${credentials.map(({ user }) => `'${user}'`).join(', ')} for the image '${image}': store the right ones`,
  ImageNotFound: (image: string): string =>
    `the registry ${registryHostOf(image)} has no image '${image}': check its name and tag`,
  InvalidImageName: (image: string): string => `'${image}' is no name of an image`,
  RegistryUnreachable: (image: string): string =>
    `the registry ${registryHostOf(image)} cannot be reached, so the image '${image}' cannot be fetched`,
} as const;

/** The error of an image that cannot be fetched; `credentials` are those that its registry rejected. */
export function imageError(
  reason: keyof typeof IMAGE_PROBLEMS,
  image: string,
  credentials: readonly RegistryCredentials[] = [],
): RevisionFailedError {
  return new RevisionFailedError(reason, IMAGE_PROBLEMS[reason](image, credentials));
}

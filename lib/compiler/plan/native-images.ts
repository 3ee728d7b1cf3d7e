import type { ActionPlan, FunctionPlan } from './plan.ts';

/** The images that Weft serves itself, by the last part of their names (docs/native-images.md). */
export const NATIVE_IMAGES = [
  'http-request',
  'request',
  'mustache',
  'echo',
  'debug',
  'slack',
  'sendmail',
  'smtp',
  'smtp-bare',
  'hello-world',
  'googlemsg',
  'googlechat',
  'twilio',
] as const;

const READS_FILES: ReadonlySet<string> = new Set<NativeImage>(['mustache', 'sendmail', 'smtp', 'smtp-bare']);

/** Whether a native function reads the files of an action: those that send mails, and mustache its template. */
export const readsFiles = (name: string): boolean => READS_FILES.has(name);

/** The name of an image that Weft serves itself. */
export type NativeImage = (typeof NATIVE_IMAGES)[number];

const COMPUTES: ReadonlySet<string> = new Set<NativeImage>(['mustache', 'echo', 'debug', 'hello-world']);

/** Whether a native image only computes: it does nothing outside its run. */
export const onlyComputes = (image: NativeImage): boolean => COMPUTES.has(image);

/** Direktiv's repositories, under any registry: `direktiv/x`, `gcr.io/direktiv/functions/x`, `vorteil/x`. */
const REPOSITORY = /^(?:[^@]+\/)?(?:direktiv|vorteil)\/(?:functions\/|apps\/)?([a-z-]+)(?::([\w.-]+))?$/;
const AZURE = /^direktiv\.azurecr\.io\/functions\/([a-z-]+)(?::([\w.-]+))?$/;

/** Tags with another contract: the first versions of `vorteil/request` returned the body alone. */
const OTHER_CONTRACTS = /(?:^|\/)vorteil\/request:v[1-5]$/;

const isNative = (name: string): name is NativeImage => NATIVE_IMAGES.some((known) => known === name);

/** The native image of a name; undefined for an image that needs a container, and for a digest. */
export function nativeImageOf(image: string): NativeImage | undefined {
  const name = (AZURE.exec(image) ?? REPOSITORY.exec(image))?.[1] ?? '';
  return isNative(name) && !OTHER_CONTRACTS.test(image) ? name : undefined;
}

/** The native image of an image and its command; undefined where the program of the command is not that of the image. */
export function nativeImageOfCommand(image: string, command: string): NativeImage | undefined {
  const name = nativeImageOf(image);
  const program = command.trim().split('/').at(-1) ?? '';
  return program === '' || program === name ? name : undefined;
}

/** The native image of a function that names its image; undefined for any other function. */
export const nativeImageOfFunction = (plan: FunctionPlan): NativeImage | undefined =>
  plan.type === 'knative-workflow' ? nativeImageOfCommand(plan.image, plan.cmd) : undefined;

/**
 * Whether a native image can serve an action. For most images, an action with files needs a container: the files are in
 * its directory.
 */
export const servesAction = (image: NativeImage, { files }: Pick<ActionPlan, 'files'>): boolean =>
  files.length === 0 || readsFiles(image);

/** The native image that an action calls, if the namespace allows it and the function names its image. */
export function nativeImageOfAction(plan: FunctionPlan, action: Pick<ActionPlan, 'files'>): NativeImage | undefined {
  const image = nativeImageOfFunction(plan);
  return image !== undefined && servesAction(image, action) ? image : undefined;
}

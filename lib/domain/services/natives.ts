import { type NativeImage, nativeImageOfCommand } from '../../compiler/plan/native-images.ts';
import type { ServiceRevision } from './revisions.ts';
import type { Service } from './services.ts';
import { percentOf } from './traffic.ts';

const imageOf = ({ image, command }: ServiceRevision): NativeImage | undefined =>
  nativeImageOfCommand(image, command.join(' '));

/**
 * The image by which Weft itself serves the calls of a service (docs/native-images.md); undefined if a revision that gets
 * calls needs a container, or if two of them have images with different contracts.
 */
export function nativeImageOfService(service: Service): NativeImage | undefined {
  const called = service.revisions.filter(({ generation }) => percentOf(service.traffic, generation) > 0);
  const [image, ...others] = new Set(called.map(imageOf));
  return others.length === 0 ? image : undefined;
}

/**
 * Whether a service has containers also for images that Weft serves itself. The service of a workflow exists because a call
 * needed a container.
 */
const keepsContainers = ({ scope }: Service): boolean =>
  scope.kind === 'workflow' || (scope.kind === 'namespace' && scope.namespace.avoidsNative === true);

/**
 * Whether a revision is ready without a container. It still gets one when it is called so: by a namespace that excludes
 * native images, or by an action with files.
 */
export const isNativeRevision = (service: Service, revision: ServiceRevision): boolean =>
  !keepsContainers(service) && nativeImageOfService(service) !== undefined && imageOf(revision) !== undefined;

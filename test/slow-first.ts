import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files of tests that take half a minute or more. The runner starts with the longest files if it knows them from an
 * earlier run, else with the largest ones: in a clean clone a slow file could be the last, and run alone.
 */
const SLOW =
  /\/(bench|bundles|examples|isolation|odd-input|crash-points|linters|runtime-client|crash|interleavings|all-orders|inherited-names|redeployment|conformance|secrets|lives|real-lives|crashes|endless-programs|schemathesis|imports|many-runs|podman|action|image)\.test\.ts$|\/(pages|hostile|outage|large)\.web\.ts$/;

/** Starts slow files first. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

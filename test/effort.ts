/**
 * The size of random and exhaustive tests. `npm test` tries enough cases to prove each rule; `.ci/run` sets
 * `WEFT_TEST_EFFORT=full` and tries more of them.
 */
export const IS_FULL = process.env['WEFT_TEST_EFFORT'] === 'full';

/** The number of cases: the first for `npm test`, the second with full effort. */
export const cases = (usual: number, full: number): number => (IS_FULL ? full : usual);

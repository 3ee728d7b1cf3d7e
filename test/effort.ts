/**
 * The size of random and exhaustive tests. `npm test` tries enough cases to prove each rule; `.ci/run` sets
 * `WEFT_TEST_EFFORT=full` and tries more of them.
 */
export const IS_FULL = process.env['WEFT_TEST_EFFORT'] === 'full';

/** The number of cases: the first for `npm test`, the second with full effort. */
export const cases = (usual: number, full: number): number => (IS_FULL ? full : usual);

const given = process.env['WEFT_TEST_SEED'] ?? '1';

/**
 * The seed of random tests. It is the same in every run, so that a test fails for a change and not for the day;
 * WEFT_TEST_SEED sets another one, and `random` chooses one, which the titles of the tests or their failures show.
 */
export const SEED = given === 'random' ? Date.now() % 2 ** 31 : Number(given);

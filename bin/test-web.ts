/**
 * `npm run test:web`: builds the console and tests it in Chromium; ends with the line `N passed, N failed`. With
 * SERVICE_URL and SERVICE_KEY it tests the console of the service that is there.
 */
import { failuresOf, passedIn, runTests } from '../test/runner.ts';
import { findChromium } from '../test/web/browser/chromium.ts';
import { buildConsole } from './console/build.ts';

if (findChromium() === undefined) {
  console.log(
    'no Chromium is installed here (CHROMIUM names one; Debian: apt-get install chromium): nothing is tested',
  );
  console.log('0 passed, 0 failed');
} else {
  await buildConsole();
  const report = await runTests(process.argv.slice(2), [], { WEFT_TEST_KIND: 'web' });
  const failures = failuresOf(report);
  for (const { name } of failures) console.log(`failed: ${name}`);
  console.log(`${passedIn(report)} passed, ${failures.length} failed`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

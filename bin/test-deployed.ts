/**
 * `npm run test:deployed`: deploys the stack into an emulator of AWS with CDK's command line, runs the black-box tests
 * against it, destroys it and checks that no resources remain. With SERVICE_URL and SERVICE_KEY it only runs the
 * tests, against that service.
 */
import { inspect } from 'node:util';
import { testDeployed } from '../test/deployed/deployed-tests.ts';
import { UnavailableError } from '../test/emulator/python-packages.ts';

try {
  const { passed, failed } = await testDeployed();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (error instanceof UnavailableError) {
    console.log(`nothing is deployed here: ${error.message}`);
    console.log('0 passed, 0 failed');
    process.exit(0);
  }
  console.error(error instanceof Error ? error.message : inspect(error));
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}

/**
 * `npm run test:deployed`: deploys both stacks to an AWS emulator with the CDK command line, runs the black-box tests
 * against them, deletes them, and checks that nothing remains. With SERVICE_URL and SERVICE_KEY, it only runs the tests
 * against that service.
 */
import { inspect } from 'node:util';
import { tryDeployed } from '../test/deployed/trial.ts';
import { Unavailable } from '../test/emulator/python-packages.ts';

try {
  const { passed, failed } = await tryDeployed();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (error instanceof Unavailable) {
    console.log(`nothing is deployed here: ${error.message}`);
    console.log('0 passed, 0 failed');
    process.exit(0);
  }
  console.error(error instanceof Error ? error.message : inspect(error));
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}

/**
 * `npm run test:deployed`: puts the whole stack into an emulator of AWS with the ordinary tools of CDK, runs the
 * black-box tests against it, takes it away and looks whether anything is left. With SERVICE_URL and SERVICE_KEY it
 * runs the tests alone, against whatever is there.
 */
import { inspect } from 'node:util';
import { tryDeployed } from '../test/deployed/trial.ts';
import { UnavailableError } from '../test/emulator/python-packages.ts';

try {
  const { passed, failed } = await tryDeployed();
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

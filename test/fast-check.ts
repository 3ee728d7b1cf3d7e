import fc from 'fast-check';
import { SEED } from './effort.ts';

fc.configureGlobal({ seed: SEED });

// biome-ignore lint/style/noDefaultExport: tests name it as the package does
export default fc;

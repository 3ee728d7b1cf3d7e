import { describe } from 'vitest';
import { executionsContract } from '../contract/executions.ts';
import { openBench } from './local-bench.ts';

describe('local executions keep the law of the port', () => {
  executionsContract(async () => openBench());
});

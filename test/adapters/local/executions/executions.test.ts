import { describe } from 'vitest';
import { executionsContract } from '../../../contract/executions.ts';
import { openBench } from '../bench.ts';

describe('local executions keep the law of the port', () => {
  executionsContract(async () => openBench());
});

import { describe } from 'vitest';
import { executionsContract } from '../../../contract/executions.ts';
import { openBench } from '../bench.ts';

describe('local executions, by the contract of the port', () => {
  executionsContract(async () => openBench());
});

import { describe } from 'vitest';
import { MemoryTable } from './memory-table.ts';
import { tableContract } from './table.ts';

describe('the table in memory', () => tableContract(async () => ({ table: new MemoryTable(), close: async () => {} })));

import { contract } from './contract.js';

contract('DuckDB', async () => 'type: duckdb, path: store.duckdb');

#!/usr/bin/env node
import { resolve } from 'node:path';
import { isInstalled } from '../../pipeline/base/paths.js';
import { cacheCompiledCode } from './compile-cache.js';

// `csiflow list | head` closes the pipe early: the reader is gone, so there is nothing to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

/** Commands with public output. The others write data about people, so their files are private to the owner. */
const PUBLIC = ['create', 'docs', 'schema'];
if (!PUBLIC.includes(process.argv[2] ?? '')) process.umask(0o077);

// The shipped topologies store their data there, instead of beside their own folder.
if (isInstalled) process.env['CSIFLOW_DATA'] ||= resolve('data');

cacheCompiledCode();
// Imported after that, so that its code is in the cache.
const { runCommandLine } = await import('./program.js');
process.exitCode = await runCommandLine(process.argv.slice(2));

#!/usr/bin/env node
import { resolve } from 'node:path';
import { isInstalled, packageFile } from '../../pipeline/base/paths.js';
import { nameBundledFiles } from './bundle/stack-traces.js';
import { BUNDLED_COMMANDS } from './bundle/bundled-commands.js';
import { loadBundle } from './bundle/load-bundle.js';
import { cacheCompiledCode, codeFolder } from './compile-cache.js';
import { nodeOptions } from './node-options.js';
import { limitYoungGeneration } from './young-generation.js';

// `csiflow list | head` closes the pipe early: the reader is gone, so there is nothing to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const words = process.argv.slice(2);
const [command = ''] = words;

/** Commands with public output. The others write data about people, so their files are private to the owner. */
const PUBLIC = ['create', 'docs', 'schema'];
if (!PUBLIC.includes(command)) process.umask(0o077);

/** Commands that process frames for days. */
const SERVING = ['demo', 'run'];

// The shipped topologies store their data there, instead of beside their own folder.
if (isInstalled) process.env['CSIFLOW_DATA'] ||= resolve('data');

if (SERVING.includes(command)) limitYoungGeneration();
cacheCompiledCode();
const { runCommandLine } = isBundled(words)
  ? loadProgram(command)
  : // Imported after that, so that its code is in the cache.
    await import('./program.js');
process.exitCode = await runCommandLine(words);

/**
 * Modules with your own components import csiflow's files themselves, and must get those that run. Node's source maps
 * lead from these files to TypeScript.
 */
function isBundled([command = '', ...rest]: readonly string[]): boolean {
  return (
    BUNDLED_COMMANDS.includes(command) &&
    !rest.some((word) => word.startsWith('--plugin')) &&
    !nodeOptions().some((option) => option.includes('--enable-source-maps'))
  );
}

function loadProgram(command: string): typeof import('./program.js') {
  const bundle = packageFile('dist/bundle/program.cjs');
  nameBundledFiles(bundle);
  return loadBundle(bundle, command, codeFolder(process.env)) as typeof import('./program.js');
}

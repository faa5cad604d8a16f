#!/usr/bin/env node
import { runCommandLine } from './program.js';

// `csiflow list | head` closes the pipe early: nobody reads on, so there is nothing to report.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2));

import fc from 'fast-check';
import { afterEach } from 'vitest';
import { cleanUp } from './clean-up.js';
import './equality.js';

// Runs once for each test file. Files share modules, so a module of `support/` cannot register hooks by itself: it is
// loaded for the first file only.

afterEach(cleanUp);

// A run that passed passes again. FAST_CHECK_SEED draws other inputs, see CONTRIBUTING.md.
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

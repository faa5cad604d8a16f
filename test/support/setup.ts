import { afterEach } from 'vitest';
import { cleanUp } from './clean-up.js';

// Runs once for each test file. Files share modules, so a module of `support/` cannot register hooks by itself: it is
// loaded for the first file only.

afterEach(cleanUp);

// The properties that `npm test` draws few inputs for, with five times as many.
import '../config/load.test.js';
import '../state/damage.test.js';

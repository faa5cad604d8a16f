// The properties for which `npm test` draws few inputs, with five times as many.
import '../config/load.test.js';
import '../state/damage.test.js';

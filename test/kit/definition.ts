export { withDefaults } from '../../pipeline/testing/kit/definition.js';

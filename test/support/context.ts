export * from '../../pipeline/testing/kit/context.js';

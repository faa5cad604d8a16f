export { Problem } from '../parts/problem.js';

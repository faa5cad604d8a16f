/**
 * Commands that the bundle has (docs/decisions/0146-the-command-line-is-bundled.md): those that people and services
 * start often. What they import awaits nothing at the top, because a bundle in CommonJS cannot. The build reads this.
 */
export const BUNDLED_COMMANDS = ['demo', 'doctor', 'health', 'plan', 'query', 'run', 'test', 'validate'];

/** The options of Node: those of its command line, one by one, and its environment variable as one text. */
export const nodeOptions = (): readonly string[] => [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];

/** Text as an SQL literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

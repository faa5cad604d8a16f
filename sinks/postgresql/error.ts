/** PostgreSQL's answer, or the lack of one. Never contains credentials. */
export class PostgresError extends Error {
  readonly code: 'postgresql.unavailable' | 'postgresql.refused' | 'postgresql.rights' | 'postgresql.login';
  /** No action is required: the server will recover. */
  readonly retriable: boolean;

  constructor(code: PostgresError['code'], message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'PostgresError';
    this.code = code;
    this.retriable = code === 'postgresql.unavailable';
  }
}

interface Answer {
  readonly code: string;
  readonly message: string;
  readonly detail: string;
}

/** Codes of rejections that concern the rows: their values, or a rule of the table. */
const OF_ROWS = /^(22|23)/;
/** Login and database: nothing works until somebody changes them. */
const OF_LOGIN = /^(28|3D)/;
/** Missing rights, tables or columns. */
const OF_RIGHTS = /^(42|3F|0A)/;

/** Errors of the program stay as they are. @param where host, port and database, without credentials */
export function postgresError(error: unknown, where: string): Error {
  if (error instanceof PostgresError || error instanceof TypeError || error instanceof RangeError)
    return error;
  const { code = '', message = '', detail } = error as Partial<Answer>;
  const said = [message, detail].filter((part) => part !== undefined && part !== '').join(': ') || code;
  if (OF_ROWS.test(code)) return new PostgresError('postgresql.refused', `${said} (${code})`, error);
  if (OF_LOGIN.test(code) || message.startsWith('SASL'))
    return new PostgresError(
      'postgresql.login',
      `PostgreSQL at ${where} rejects the login: ${said}. Check \`username\`, \`password\`, and that the database exists`,
      error,
    );
  if (OF_RIGHTS.test(code))
    return new PostgresError(
      'postgresql.rights',
      `PostgreSQL at ${where} does not let csiflow use its tables: ${said}. Grant the user CREATE on the database, or INSERT, UPDATE and SELECT on tables that its administrator has created`,
      error,
    );
  return new PostgresError('postgresql.unavailable', `PostgreSQL at ${where} is unavailable: ${said}`, error);
}

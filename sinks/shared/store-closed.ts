/** Error of a store that is not open: a call that began before a restart may find it so, and can be repeated. */
export const storeClosed = (store: string): Error =>
  Object.assign(new Error(`${store} is not open`), { retriable: true });

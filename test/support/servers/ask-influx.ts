import type { Series } from '../../../sinks/influxdb/connection.js';

/** Series of one statement, times in milliseconds. @param url of `/query` with the database. @throws Error with its answer */
export async function askInflux(url: string, statement: string, token?: string): Promise<readonly Series[]> {
  const response = await fetch(`${url}&epoch=ms&q=${encodeURIComponent(statement)}`, {
    headers: token === undefined ? {} : { Authorization: `Token ${token}` },
  });
  const text = await response.text();
  const { results = [] } = JSON.parse(text) as {
    readonly results?: readonly { readonly error?: string; readonly series?: readonly Series[] }[];
  };
  if (!response.ok || results.length !== 1 || results[0]!.error) throw new Error(`${statement}: ${text}`);
  return results[0]!.series ?? [];
}

import { readFile } from 'node:fs/promises';
import { packageFile } from '../../pipeline/base/paths.js';

export interface PanelQuery {
  readonly title: string;
  /** With its variables put in, as Grafana would. */
  readonly query: string;
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly targets: readonly { readonly query?: string; readonly expr?: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}

export const readDashboard = async (name: string): Promise<Dashboard> =>
  JSON.parse(await readFile(packageFile(`topologies/grafana/dashboards/${name}.json`), 'utf8')) as Dashboard;

/**
 * The queries of all panels of a dashboard.
 *
 * @param variables by name, with or without the `$`
 */
export async function panelsOf(
  name: string,
  variables: Readonly<Record<string, string>>,
): Promise<readonly PanelQuery[]> {
  const { panels } = await readDashboard(name);
  return panels.flatMap(({ title, targets }) =>
    targets.map((target) => ({ title, query: putIn(target.query ?? target.expr ?? '', variables) })),
  );
}

function putIn(query: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables).reduce(
    (text, [name, value]) => text.replaceAll(name.startsWith('$') ? name : `$${name}`, () => value),
    query,
  );
}

interface Opening {
  readonly opened: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Nodes that open in a thread, one after another. Each is waited for by itself, so an error has its name. */
export class Openings {
  readonly #openings: ReadonlyMap<string, Opening>;

  constructor(nodes: readonly string[]) {
    this.#openings = new Map(nodes.map((id) => [id, opening()]));
  }

  wait(node: string): Promise<void> {
    return this.#openings.get(node)!.opened;
  }

  succeeded(node: string): void {
    this.#openings.get(node)!.resolve();
  }

  /** The start ends with this error; nothing waits for the other nodes. */
  failed(node: string, error: Error): void {
    this.#openings.get(node)!.reject(error);
    for (const { resolve } of this.#openings.values()) resolve();
  }

  /** The thread ended. */
  lost(error: Error): void {
    for (const { reject } of this.#openings.values()) reject(error);
  }
}

function opening(): Opening {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const opened = new Promise<void>((...functions) => {
    [resolve, reject] = functions;
  });
  // A start that ends before does not wait for it.
  opened.catch(() => undefined);
  return { opened, resolve, reject };
}

import { KserveError, KserveModel, type KserveOptions } from '../../shared/kserve.js';
import { CELLS, DIRECTION_FEATURES, PLACE_FEATURES, WALL_FEATURES } from '../inputs/geometry.js';
import { LINK_FEATURES } from '../inputs/features.js';
import { COUNTS, OUT, WIDTHS } from '../networks/layers.js';
import type { SceneBatch } from '../inputs/scene.js';
import { SEEN, type LookBatch, type Parts, type SeenBatch } from '../networks/parts.js';

/** A server's address, and the weights that it must have. */
export interface RemoteOptions extends Omit<KserveOptions, 'model'> {
  /** SHA-256 of the weights: they are part of the models' names, so that a server cannot answer with others. */
  readonly sha256: string;
}

/** The network's two parts on a server, as `csiflow export-model` writes them. */
export class RemoteParts implements Parts {
  readonly #url: string;
  readonly #see: KserveModel;
  readonly #look: KserveModel;

  private constructor(url: string, see: KserveModel, look: KserveModel) {
    this.#url = url;
    this.#see = see;
    this.#look = look;
  }

  /** @throws KserveError if the server cannot be reached or lacks a model */
  static async open({ sha256, ...server }: RemoteOptions): Promise<RemoteParts> {
    const [see, look] = await Promise.all(
      partNames(sha256).map((model) => KserveModel.open({ ...server, model })),
    );
    return new RemoteParts(server.url, see!, look!);
  }

  /** As the server names it; empty before the first answer. */
  get version(): string {
    return this.#see.version ?? '';
  }

  async see({ windows, links, features, places, walls }: SceneBatch): Promise<SeenBatch> {
    const answer = await this.#see.infer(
      {
        features: { shape: [windows, links, LINK_FEATURES], data: features },
        places: { shape: [windows, links, CELLS, PLACE_FEATURES], data: places },
        walls: { shape: [windows, CELLS, WALL_FEATURES], data: walls },
      },
      SEEN,
    );
    const sizes = {
      ...{ cells: windows * CELLS, counts: windows * COUNTS, joined: windows * CELLS * WIDTHS.joined },
      ...{ tokens: windows * links * WIDTHS.token, heard: windows * 2 * WIDTHS.token },
    };
    const sized = SEEN.map((name) => [name, this.#sized(name, answer[name]!.data, sizes[name])] as const);
    return Object.fromEntries(sized) as unknown as SeenBatch;
  }

  async look({ windows, links, tokens, views, walls }: LookBatch): Promise<Float32Array> {
    const answer = await this.#look.infer(
      {
        tokens: { shape: [windows, links, WIDTHS.token], data: tokens },
        views: { shape: [windows, links, PLACE_FEATURES + DIRECTION_FEATURES], data: views },
        walls: { shape: [windows, WALL_FEATURES], data: walls },
      },
      ['out'],
    );
    return this.#sized('out', answer['out']!.data, windows * OUT.size);
  }

  #sized(name: string, data: Float32Array, size: number): Float32Array {
    if (data.length !== size)
      throw new KserveError(
        `the inference server ${this.#url} answers \`${name}\` with ${data.length} numbers instead of ${size}: it has another network under this name`,
      );
    return data;
  }
}

/** Names of the two models of these weights on a server. */
export const partNames = (sha256: string): readonly [see: string, look: string] => {
  const name = `csiflow-${sha256.slice(0, 12)}`;
  return [`${name}-see`, `${name}-look`];
};

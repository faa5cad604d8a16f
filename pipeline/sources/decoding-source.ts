import type { Context, Output, Position, RawBatch, Source, SourceOutput, State } from '../component/index.js';
import type { Decoder, Format } from '../formats/index.js';
import type { Data } from '../model/index.js';

/** A source of raw records of one format: decoding them, and what is remembered of them, is the decoder's work alone. */
export abstract class DecodingSource implements Source {
  protected readonly decoder: Decoder;

  protected constructor(format: Format, context: Context) {
    this.decoder = format.decoder(context);
  }

  abstract open(position: Position, output: SourceOutput): Promise<void>;

  decode(raw: RawBatch): Output<Data> {
    return this.decoder.decode(raw);
  }

  snapshot(): State {
    return this.decoder.snapshot();
  }

  restore(state: State): void {
    this.decoder.restore(state);
  }
}

import type { Context, Output, Position, RawBatch, Source, SourceOutput, State } from '../component/index.js';
import { decoderOf, type Decoder, type Format, type FormatOptions } from '../formats/index.js';
import type { Data } from '../model/index.js';

/** A source of raw records of one format. Decoding, and the state that it needs, is left to the decoder. */
export abstract class DecodingSource implements Source {
  protected readonly decoder: Decoder;

  /** @param options the settings that describe the records */
  protected constructor(format: Format, context: Context, options: FormatOptions) {
    this.decoder = decoderOf(format, context, options);
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

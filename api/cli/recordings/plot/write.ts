import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { CommandError, EXIT } from '../../../../pipeline/base/exit.js';
import { errorText } from '../../../../pipeline/base/error-text.js';

/** Extension of a file for a plot. @throws CommandError for unsupported ones */
export function plotKind(path: string): 'png' | 'svg' {
  const ending = /\.(png|svg)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === 'png' || ending === 'svg') return ending;
  throw new CommandError(`--plot writes a .png or a .svg, not ${path}`, EXIT.invalid);
}

/** Writes a plot. @throws CommandError if the file cannot be written */
export async function writePlot(path: string, svg: string): Promise<void> {
  const content = plotKind(path) === 'png' ? await pngOf(svg) : svg;
  try {
    writeFileSync(path, content);
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${errorText(error)}`, EXIT.unavailable);
  }
}

/** Pixels per unit of the drawing. */
const SCALE = 2;
const FONTS = ['400Regular/PTSans_400Regular.ttf', '700Bold/PTSans_700Bold.ttf'];

/** The module is loaded once per process. */
let ready: Promise<void> | undefined;

async function pngOf(svg: string): Promise<Uint8Array> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  const { resolve } = createRequire(import.meta.url);
  await (ready ??= initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm'))));
  const fontBuffers = FONTS.map((font) => readFileSync(resolve(`@expo-google-fonts/pt-sans/${font}`)));
  const drawn = new Resvg(svg, {
    fitTo: { mode: 'zoom', value: SCALE },
    font: { fontBuffers, defaultFontFamily: 'PT Sans' },
  });
  return drawn.render().asPng();
}

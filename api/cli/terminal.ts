import { styleText } from 'node:util';

/** Colours of what is printed. */
type Style = 'green' | 'yellow' | 'red' | 'dim' | 'bold';

/**
 * Text in a colour where a terminal shows it: never in files and pipes, nor with NO_COLOR. FORCE_COLOR=1 switches
 * colours on anywhere.
 */
export const coloured = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

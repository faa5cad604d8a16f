import { errorText } from '../../../pipeline/base/error-text.js';
import { ApiError } from '../../service/errors.js';

export interface JsonOptions {
  /** Limit of values, lists and objects among them: each takes time to parse and check, and may be reported. */
  readonly values: number;
  /** Whether errors may quote the body; not if it may contain a password. */
  readonly shown: boolean;
}

/** Deeper than any body of the service interface; parsing millions of levels would block the process for seconds. */
const MAX_LEVELS = 64;

/** The value of a JSON text. @throws ApiError 400 if it is invalid, 422 if it is too deep or has too many values */
export function parseJson(text: string, { shown, values: most }: JsonOptions): unknown {
  const { levels, values } = sizeOf(text);
  if (levels > MAX_LEVELS)
    throw new ApiError('VALIDATION_ERROR', `The body is nested more than ${MAX_LEVELS} levels deep`);
  if (values > most)
    throw new ApiError('VALIDATION_ERROR', `The body has more than ${most} values: send less at a time`);
  try {
    // Checking each name takes several times as long.
    return /__proto__|\\u/.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text);
  } catch (error) {
    const why = shown ? `: ${errorText(error)}` : '';
    throw new ApiError('BAD_REQUEST', `The body is not valid JSON${why}`);
  }
}

function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new Error('no field may be named __proto__');
  return value;
}

/** Nesting depth and number of values of a JSON text; arbitrary numbers for other text. */
function sizeOf(text: string): { readonly levels: number; readonly values: number } {
  let [levels, deepest, values, inText] = [0, 0, 1, false];
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inText) {
      if (character === '\\') index++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === ',') values++;
    else if (character === '[' || character === '{') {
      values++;
      deepest = Math.max(deepest, ++levels);
    } else if (character === ']' || character === '}') levels--;
  }
  return { levels: deepest, values };
}

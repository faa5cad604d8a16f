import type { Environment } from '../../../pipeline/model/index.js';
import { coverageOf } from '../../../pipeline/sources/simulator/coverage.js';
import { answerQuestions } from '../threads/answer.js';
import type { Simulated } from './coverage.js';

answerQuestions((environment) => {
  try {
    return { answer: { coverage: coverageOf(environment as Environment) } satisfies Simulated };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { answer: { refused: error.message } satisfies Simulated };
  }
});

import { ApiError } from '../../service/errors.js';
import { answerQuestions, type Answered } from '../../service/threads/answer.js';
import { parseProcessBody, type Parsed } from './process-body.js';

answerQuestions((text) => {
  try {
    const body = parseProcessBody(text as string);
    return answered({ body }, [body.csi_data.values.buffer]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { situation, message, details } = error;
    return answered({ refused: { situation, message, details } });
  }
});

const answered = (answer: Parsed, transfer: Answered['transfer'] = []): Answered => ({ answer, transfer });

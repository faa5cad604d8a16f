import { parentPort, type Transferable } from 'node:worker_threads';

/** An answer, with what is handed over rather than copied. */
export interface Answered {
  readonly answer: unknown;
  readonly transfer?: readonly Transferable[];
}

/** The other end of a `Thread`: to be called once the module is ready for questions. */
export function answerQuestions(answerTo: (question: unknown) => Answered): void {
  const port = parentPort!;
  port.on('message', (question: unknown) => {
    const { answer, transfer = [] } = answerTo(question);
    port.postMessage(answer, [...transfer]);
  });
  port.postMessage('ready');
}

import { parentPort, type Transferable } from 'node:worker_threads';

/** An answer, with the buffers to transfer instead of copying. */
export interface Answered {
  readonly answer: unknown;
  readonly transfer?: readonly Transferable[];
}

/** The other end of a `Thread`: call it once the module is ready for requests. */
export function answerQuestions(answerTo: (question: unknown) => Answered): void {
  const port = parentPort!;
  port.on('message', (question: unknown) => {
    const { answer, transfer = [] } = answerTo(question);
    port.postMessage(answer, [...transfer]);
  });
  port.postMessage('ready');
}

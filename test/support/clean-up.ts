/** Clean-up jobs of the running test, latest first. */
const jobs: (() => Promise<void> | void)[] = [];

export function afterThisTest(job: () => Promise<void> | void): void {
  jobs.push(job);
}

export async function cleanUp(): Promise<void> {
  for (const job of jobs.splice(0).reverse()) await job();
}

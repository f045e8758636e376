/** Lets a local server answer later than it takes a request: whoever asked may die in between. */

export const answerDelay = () => {
  let after = 0
  return {
    /** How long answers wait from now on, ms. */
    wait: (ms: number): void => void (after = ms),
    then: (answer: () => void): void => (after === 0 ? answer() : void setTimeout(answer, after))
  }
}

/** When a runner whose actors do not answer gives its shards up. Counts attempts, because time that the machine slept does not count. */

/** What one attempt to reach an actor of this runner showed. A database that does not answer excuses the actors. */
export type Attempt = "answered" | "hung" | "database away"

/** Returns a function that takes the attempts in order and says whether the runner must give up: after `most` hung ones in a row. */
export const makeRunnerPatience = (most: number) => {
  let hung = 0
  return (attempt: Attempt): boolean => {
    hung = attempt === "hung" ? hung + 1 : 0
    return hung >= most
  }
}

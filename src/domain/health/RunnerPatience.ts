/** The patience with a runner that serves nothing, in attempts: time that the machine slept does not count. */

/** The result of one attempt to reach an actor of this runner. It is idle if it holds no shard although it should. */
export type Attempt = "answered" | "hung" | "idle" | "database away"

/** The attempts in a row after which a runner gives up. */
export type MostInARow = Readonly<Record<"hung" | "idle", number>>

/** Returns a function that takes the attempts in order and says why the runner must give up; null while it need not. */
export const makeRunnerPatience = (most: MostInARow) => {
  let last: Attempt = "answered"
  let times = 0
  return (attempt: Attempt): keyof MostInARow | null => {
    times = attempt === last ? times + 1 : 1
    last = attempt
    return (attempt === "hung" || attempt === "idle") && times >= most[attempt] ? attempt : null
  }
}

/** Limits requests that take long, such as checks on demand, since each holds a connection until it is answered. */
import { RateLimited, Unavailable } from "../../../../schema/Errors.ts"

/** Checks on demand that one workspace may have under way in one process. */
export const defaultChecksPerWorkspace = 5

/** The same for all workspaces of a process together, unless they are heavier. */
const usualMost = 200

/** A workspace may hold this part of the free slots, and always one: the fewer are free, the fewer any workspace may add. */
const partOfFree = 1 / 10

const retryAfterSec = 5

/** `what` names them in refusals; `most` are those of all workspaces. */
export const makeRunningChecks = (perWorkspace: number, what = "checks on demand", most = usualMost) => {
  const running = new Map<string, number>()
  let all = 0
  return {
    /** Why another one may not begin; null when it begins, and then `end` must follow. */
    begin: (workspaceId: string): RateLimited | Unavailable | null => {
      const own = running.get(workspaceId) ?? 0
      if (own >= perWorkspace) {
        return new RateLimited({
          message: `At most ${perWorkspace} ${what} at a time for one workspace`,
          hint: "Wait for one of them to end, then try again",
          details: { retryAfterSec }
        })
      }
      const free = most - all
      if (free <= 0 || (own > 0 && own >= free * partOfFree)) {
        return new Unavailable({
          message: `Too many ${what} are under way`,
          hint: "Try again in a few seconds; scheduled checks are not affected"
        })
      }
      running.set(workspaceId, own + 1)
      all++
      return null
    },
    end: (workspaceId: string): void => {
      const own = running.get(workspaceId) ?? 0
      all--
      if (own > 1) running.set(workspaceId, own - 1)
      else running.delete(workspaceId)
    }
  }
}

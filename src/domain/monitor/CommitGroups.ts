/** Groups changes of state for commits, so that a storm shares transactions and no workspace waits for another's locks. */

/** How many changes share a transaction: more save little, and hold their locks for longer. */
const mostInGroup = 64

/** A change that waits for its commit. */
export interface Grouped {
  readonly workspaceId: string
  readonly monitorId: string
}

/**
 * `shared`: changes of any workspaces, which do not wait for locks. `workspace`: the changes of one workspace, after a group with
 * them failed. `single`: one change, after that failed too, or when its row was locked.
 */
export interface CommitGroup<A> {
  readonly kind: "shared" | "workspace" | "single"
  readonly members: ReadonlyArray<A>
}

/** Committers: `prompt` ones never wait for locks, `patient` ones may. */
export type Committer = "prompt" | "patient"

/** Changes by workspace. The first workspace is the one that has waited for the longest time. */
const makeWaiting = <A extends Grouped>() => {
  const queues = new Map<string, Array<A>>()
  return {
    queues,
    add: (one: A): void => {
      const queue = queues.get(one.workspaceId)
      if (queue === undefined) queues.set(one.workspaceId, [one])
      else queue.push(one)
    },
    /** Moves up to `most` changes of a workspace, at most one of each monitor, into `members`. */
    move: (workspaceId: string, members: Array<A>, most: number): void => {
      const queue = queues.get(workspaceId) ?? []
      queues.delete(workspaceId)
      const monitors = new Set<string>()
      const rest = queue.filter((one) => {
        if (members.length >= most || monitors.has(one.monitorId)) return true
        monitors.add(one.monitorId)
        members.push(one)
        return false
      })
      if (rest.length > 0) queues.set(workspaceId, rest)
    }
  }
}

/** While changes of a workspace are being committed, its next ones gather: a workspace uses one connection, and one more for a single. */
export const makeCommitGroups = <A extends Grouped>() => {
  const fresh = makeWaiting<A>()
  const retried = makeWaiting<A>()
  const singles = makeWaiting<A>()
  const busy = new Set<string>()
  const busySingly = new Set<string>()

  const takeShared = (): CommitGroup<A> | null => {
    const members: Array<A> = []
    for (const workspaceId of [...fresh.queues.keys()]) {
      if (members.length >= mostInGroup) break
      // Failed changes go first, with patience.
      if (!busy.has(workspaceId) && !retried.queues.has(workspaceId)) fresh.move(workspaceId, members, mostInGroup)
    }
    for (const { workspaceId } of members) busy.add(workspaceId)
    return members.length === 0 ? null : { kind: "shared", members }
  }

  const takeOne = (
    waiting: typeof fresh,
    taken: Set<string>,
    kind: "workspace" | "single",
    most: number
  ): CommitGroup<A> | null => {
    const members: Array<A> = []
    for (const workspaceId of waiting.queues.keys()) {
      if (taken.has(workspaceId)) continue
      waiting.move(workspaceId, members, most)
      taken.add(workspaceId)
      return { kind, members }
    }
    return null
  }

  return {
    /** Adds a change that has not been tried yet. */
    add: fresh.add,
    /** The next group, until `end` is called with it; null when none may begin. */
    take: (committer: Committer): CommitGroup<A> | null =>
      committer === "prompt"
        ? takeShared()
        : takeOne(retried, busy, "workspace", mostInGroup) ?? takeOne(singles, busySingly, "single", 1),
    /** Ends a group. Its `failed` members are tried again in smaller groups, its `locked` ones alone. */
    end: ({ kind, members }: CommitGroup<A>, failed: ReadonlyArray<A>, locked: ReadonlyArray<A>): void => {
      for (const { workspaceId } of members) (kind === "single" ? busySingly : busy).delete(workspaceId)
      for (const one of failed) (kind === "shared" ? retried : singles).add(one)
      for (const one of locked) singles.add(one)
    }
  }
}

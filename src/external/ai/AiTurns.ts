/** Shares the slots of the provider fairly between workspaces: a free slot goes to the workspace that holds the fewest. */
import { Effect } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import { makeFairQueue } from "../../domain/FairQueue.ts"
import type { AiUrgency } from "./AiProvider.ts"

export interface AiTurnLimits {
  /** Calls under way at a time. */
  readonly slots: number
  readonly mostPerWorkspace: number
  /** Calls that wait, together and of one workspace. Beyond it, calls fail. */
  readonly waiting: { readonly total: number; readonly perOwner: number }
}

export const defaultAiTurns: AiTurnLimits = { slots: 8, mostPerWorkspace: 3, waiting: { total: 400, perOwner: 40 } }

const crowded = new Unavailable({
  message: "Too many AI texts are being written",
  hint: "Try again in a minute"
})

/** Runs work in a slot. Work that is interrupted while it waits takes none. */
export const makeAiTurns = ({ mostPerWorkspace, slots, waiting }: AiTurnLimits) => {
  const queue = makeFairQueue<() => void>({
    slots,
    mostPerOwner: mostPerWorkspace,
    room: { ...waiting, weigh: () => 1 }
  })

  const serve = () => {
    for (let next = queue.take(); next !== undefined; next = queue.take()) next()
  }

  const release = (owner: WorkspaceId) => {
    queue.release(owner)
    serve()
  }

  const slot = (owner: WorkspaceId, urgency: AiUrgency) =>
    Effect.async<void, Unavailable>((resume) => {
      let state: "waiting" | "granted" | "gone" = "waiting"
      const grant = () => {
        if (state === "gone") return release(owner)
        state = "granted"
        resume(Effect.void)
      }
      if (!queue.offer(owner, grant, urgency === "caller")) return resume(Effect.fail(crowded))
      serve()
      return Effect.sync(() => {
        if (state === "granted") release(owner)
        state = "gone"
      })
    })

  return <A, E, R>(owner: WorkspaceId, urgency: AiUrgency, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        restore(slot(owner, urgency)),
        Effect.ensuring(restore(work), Effect.sync(() => release(owner)))
      )
    )
}

/** Shares the slots of the provider fairly between workspaces. */
import { Effect } from "effect"
import { Unavailable } from "../../../schema/Errors.ts"
import { makeFairQueue } from "../../domain/tools/FairQueue.ts"
import { makeFairTurns } from "../../loops/FairTurns.ts"

export interface AiTurnLimits {
  /** Calls under way at a time. */
  readonly slots: number
  readonly mostPerWorkspace: number
  /** Calls that wait, together and of one workspace. Beyond it, calls fail. */
  readonly waiting: { readonly total: number; readonly perOwner: number }
}

export const defaultAiTurns: AiTurnLimits = { slots: 8, mostPerWorkspace: 3, waiting: { total: 400, perOwner: 40 } }

const crowded = Effect.fail(
  new Unavailable({
    message: "Too many AI texts are being written",
    hint: "Try again in a minute"
  })
)

export const makeAiTurns = ({ mostPerWorkspace, slots, waiting }: AiTurnLimits) =>
  makeFairTurns(makeFairQueue({ slots, mostPerOwner: mostPerWorkspace, room: { ...waiting, weigh: () => 1 } }), crowded)

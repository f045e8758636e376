/** Reads the choices in the form of a monitor: channels, regions, the plan's limits, and an answer to fill assertions from. */
import { Effect } from "effect"
import { read, readOrNull, together } from "../../frame/View.ts"

/** Checks among which the newest evidence is looked for. */
const searched = 30

/** The newest check with evidence. Evidence can be large, so the list is read without. */
const readLastAnswer = Effect.fn("FormChoices.lastAnswer")(function*(id: string) {
  const checks = yield* readOrNull("list_checks", { id, limit: searched })
  const seen = checks?.data.find(({ hasEvidence }) => hasEvidence)
  return seen === undefined ? null : yield* readOrNull("get_check", { id: seen.id })
})

/** `id` is the monitor that is edited; null for a new one. */
export const readFormChoices = Effect.fn("FormChoices.read")(function*(id: string | null) {
  const [channels, regions, identity, lastAnswer] = yield* together([
    read("list_channels"),
    read("list_regions", { results: false }),
    read("whoami"),
    id === null ? Effect.succeed(null) : readLastAnswer(id)
  ])
  return {
    channels: channels.data,
    regions: regions.data.map((region) => region.id),
    limits: identity.limits,
    /** The newest check with evidence. */
    lastAnswer
  }
})
export type FormChoices = Effect.Effect.Success<ReturnType<typeof readFormChoices>>

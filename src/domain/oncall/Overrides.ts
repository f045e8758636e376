/** The overrides of a schedule: their validation, and the changes that turn them into those of a document. */
import { DateTime, Duration, Order } from "effect"
import type { UserId } from "../../../schema/Ids.ts"
import type { Override } from "../../../schema/oncall/Schedule.ts"
import type { Refusal } from "../Refusal.ts"
import { gather } from "../tools/Gather.ts"
import { counted } from "../tools/text/Counted.ts"
import { overlap } from "./LayerTimes.ts"

/** Overrides of a schedule that have not ended. Each preview reads all of them. */
export const mostOverrides = 200

/** Bounds what an override covers, so that a typo in a year is noticed. */
const longestOverride = Duration.days(366)

/** Somebody who stands in from `start` up to `end`, for everybody or for one person. */
export interface OverrideWindow extends Pick<Override, "id" | "userId" | "start" | "end" | "createdAt"> {
  readonly insteadOf?: UserId | null
}

type Window = Pick<OverrideWindow, "start" | "end">

export const hasEnded = ({ end }: Window, now: DateTime.Utc): boolean => DateTime.lessThanOrEqualTo(end, now)

export const windowRefusals = (window: Window, now: DateTime.Utc): ReadonlyArray<Refusal> =>
  DateTime.lessThanOrEqualTo(window.end, window.start)
    ? [{ path: "end", message: "end must be after start" }]
    : hasEnded(window, now)
    ? [{ path: "end", message: "end must be in the future" }]
    : DateTime.distance(window.start, window.end) > Duration.toMillis(longestOverride)
    ? [{ path: "end", message: "An override can last at most 366 days" }]
    : []

export const tooManyOverrides = {
  message: `A schedule can have at most ${mostOverrides} overrides that have not ended`,
  hint: "Delete overrides, or change the participants of the schedule"
}

/** The preview's note on overrides of a document that have ended. */
export const endedNote = (count: number): ReadonlyArray<string> =>
  count === 0 ? [] : [`${counted(count, "override has ended and is", "overrides have ended and are")} left out`]

/** Of overrides that overlap, the one that was created last wins. */
export const inOrderOfCreation = Order.combine(
  Order.mapInput(DateTime.Order, ({ createdAt }: Pick<OverrideWindow, "createdAt" | "id">) => createdAt),
  Order.mapInput(Order.string, ({ id }: Pick<OverrideWindow, "createdAt" | "id">) => id)
)

export interface StandIn extends Window {
  readonly userId: string
  readonly insteadOf?: string | null
  readonly note: string | null
}

const sayingOf = ({ end, insteadOf = null, note, start, userId }: StandIn): string =>
  JSON.stringify([userId, insteadOf, start.epochMillis, end.epochMillis, note])

/** The changes from stored to wanted overrides, in order of creation. One that must win over a later one is created again. */
export const overrideChanges = <Stored extends StandIn, Wanted extends StandIn>(
  stored: ReadonlyArray<Stored>,
  wanted: ReadonlyArray<Wanted>
) => {
  const indexes = gather(stored.map((one, index) => [sayingOf(one), index] as const))
  const placed: Array<{ readonly one: Wanted; readonly index: number }> = []
  const kept = new Set<number>()
  for (const one of wanted) {
    const before = placed.filter((other) => overlap(other.one, one)).map(({ index }) => index)
    const least = Math.max(-1, ...before)
    const index = indexes.get(sayingOf(one))?.find((found) => found > least && !kept.has(found)) ?? Infinity
    placed.push({ one, index })
    kept.add(index)
  }
  return {
    removed: stored.filter((_, index) => !kept.has(index)),
    added: placed.filter(({ index }) => index === Infinity).map(({ one }) => one)
  }
}

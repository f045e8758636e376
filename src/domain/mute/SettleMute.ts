/** Settles the input of a mute: its scope and its end. */
import { DateTime, Either } from "effect"
import type { Mute, MuteInput } from "../../../schema/mute/Mute.ts"
import type { Refusal } from "../Refusal.ts"

type Settled = Pick<Mute, "monitorIds" | "tags" | "all" | "until" | "durationSec" | "reason">

/** 31 days. */
const longestSec = 2_678_400

const scopeRefusals = ({ all = false, monitorIds = [], tags = [] }: MuteInput): ReadonlyArray<Refusal> => {
  const named = monitorIds.length > 0 || tags.length > 0
  if (all === named) {
    return [{
      path: "monitorIds",
      message: all
        ? "all mutes every monitor. Leave monitorIds and tags out, or all"
        : "Say which monitors to mute: monitorIds, tags, or all set to true"
    }]
  }
  const empty = tags.findIndex((tag) => tag.trim() === "")
  return empty < 0 ? [] : [{ path: `tags.${empty}`, message: "Expected a tag with at least one character" }]
}

const endRefusals = ({ durationSec, until }: MuteInput, now: DateTime.Utc): ReadonlyArray<Refusal> => {
  if ((durationSec === undefined) === (until === undefined)) {
    return [{ path: "durationSec", message: "Say how long it lasts: either durationSec or until" }]
  }
  if (until === undefined) return []
  const ahead = DateTime.distance(now, until)
  return ahead <= 0
    ? [{ path: "until", message: "until must be in the future" }]
    : ahead > longestSec * 1000
    ? [{ path: "until", message: "A mute lasts at most 31 days. Schedule maintenance for what takes longer" }]
    : []
}

/** The settings of a mute that begins at `now`, or what is wrong with the input. */
export const settleMute = (input: MuteInput, now: DateTime.Utc): Either.Either<Settled, ReadonlyArray<Refusal>> => {
  const refusals = [...scopeRefusals(input), ...endRefusals(input, now)]
  if (refusals.length > 0) return Either.left(refusals)
  const until = input.until ?? DateTime.add(now, { seconds: input.durationSec ?? 0 })
  const reason = input.reason?.trim() ?? ""
  return Either.right({
    monitorIds: [...new Set(input.monitorIds ?? [])],
    tags: [...new Set(input.tags ?? [])],
    all: input.all ?? false,
    until,
    durationSec: Math.round(DateTime.distance(now, until) / 1000),
    reason: reason === "" ? null : reason
  })
}

/** Why a mute covers no monitor; none if it covers some. */
export const muteWarnings = ({ all, tags }: Pick<Mute, "all" | "tags">, count: number): ReadonlyArray<string> => {
  if (count > 0) return []
  if (all) return ["It mutes no monitor, because the workspace has none"]
  return [
    tags.length > 0
      ? "It mutes no monitor, because none has one of its tags now. One that gets such a tag while it runs is muted"
      : "It mutes no monitor, because its monitors have been deleted"
  ]
}

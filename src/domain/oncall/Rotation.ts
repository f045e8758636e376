/** The turns of an on-call rotation: who takes which, and when each hand-off is, in the schedule's zone. */
import { Array, DateTime } from "effect"
import type { UserId } from "../../../schema/Ids.ts"
import type { Layer, LayerInput, OnCallHours, StoredRotation } from "../../../schema/oncall/Rotation.ts"
import type { ScheduleInput } from "../../../schema/oncall/Schedule.ts"
import { dateOf, dayOf, localDay, localTime, minutesOf, weekdayOf } from "../tools/time/LocalTime.ts"

type TurnField = "turnUnit" | "turnLength" | "atOnce" | "hours" | "activeFrom" | "activeUntil"
type WhoAndWhen = "handoffDay" | "handoffTime" | "participants" | "startDay"

/** Participants take a turn each from the hand-off; `handoffDay` 0 is Monday. The first takes the turn with `startDay`. */
export interface LayerSettings extends Pick<StoredRotation, WhoAndWhen>, Partial<Pick<StoredRotation, TurnField>> {}

/** The schedule's own layer, and those over it. */
export interface RotationSettings extends LayerSettings {
  readonly timezone: string
  readonly layers?: ReadonlyArray<LayerSettings & { readonly beside?: boolean }>
}

/** One turn of a layer. `end` is the start of the next one. */
export interface Turn {
  readonly users: Array.NonEmptyReadonlyArray<UserId>
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

type Handoff = Pick<LayerSettings, "handoffDay" | "handoffTime" | "turnUnit">

const handoffOn = (day: number, { handoffTime }: Handoff, timezone: string): DateTime.Utc =>
  localTime(day, minutesOf(handoffTime), timezone)

/** The local day of the last hand-off on or before `day`, if turns last one day or week. */
const lastHandoffDay = (day: number, { handoffDay, turnUnit = "week" }: Handoff): number =>
  turnUnit === "day" ? day : day - ((weekdayOf(day) - handoffDay + 7) % 7)

/** The people of the turn number `index`: the next `atOnce` of the ring, each once. */
const usersAt = ({ atOnce = 1, participants }: LayerSettings, index: number): Turn["users"] => {
  const count = participants.length
  const nth = (index: number): UserId => participants[((index % count) + count) % count] ?? participants[0]
  return Array.dedupe(Array.makeBy(atOnce, (at) => nth(index * atOnce + at)))
}

/** When the turn number `index` begins, counted from the first participant's; it can be negative. */
const turnStart = (layer: LayerSettings, timezone: string) => {
  const { startDay, turnLength = 1, turnUnit = "week" } = layer
  const first = lastHandoffDay(dayOf(startDay), layer)
  const step = turnLength * (turnUnit === "week" ? 7 : 1)
  return { first, step, at: (index: number) => handoffOn(first + index * step, layer, timezone) }
}

/**
 * The turns that overlap the time from `from` up to `to`, in order and without gaps; at least the one that contains `from`. A turn of a
 * day that the clock skips is left out.
 */
export const turnsBetween = (
  layer: LayerSettings,
  timezone: string,
  from: DateTime.Utc,
  to: DateTime.Utc
): Array.NonEmptyArray<Turn> => {
  const { at, first, step } = turnStart(layer, timezone)
  let index = Math.floor((localDay(from, timezone) - first) / step)
  // On the day of a hand-off, its time decides. A skipped time can move it past midnight.
  while (DateTime.greaterThan(at(index), from)) index--
  while (DateTime.lessThanOrEqualTo(at(index + 1), from)) index++
  const turns: Array.NonEmptyArray<Turn> = [{ users: usersAt(layer, index), start: at(index), end: at(index + 1) }]
  for (let start = turns[0].end; DateTime.lessThan(start, to);) {
    index++
    const end = at(index + 1)
    if (DateTime.lessThan(start, end)) turns.push({ users: usersAt(layer, index), start, end })
    start = end
  }
  return turns
}

/** The start day that gives the current turn to the first participant. */
export const currentStartDay = (layer: Handoff, timezone: string, now: DateTime.Utc): string => {
  const day = lastHandoffDay(localDay(now, timezone), layer)
  const before = layer.turnUnit === "day" ? 1 : 7
  return DateTime.greaterThan(handoffOn(day, layer, timezone), now) ? dateOf(day - before) : dateOf(day)
}

const everyHour: ReadonlyArray<OnCallHours> = []

type GivenTurn = Omit<LayerInput, "handoffDay" | "handoffTime"> & Pick<LayerSettings, "handoffDay" | "handoffTime">

const settledTurn = (given: GivenTurn, timezone: string, now: DateTime.Utc) => ({
  handoffDay: given.handoffDay,
  handoffTime: given.handoffTime,
  participants: given.participants,
  startDay: given.startDay ?? currentStartDay(given, timezone, now),
  turnUnit: given.turnUnit ?? "week",
  turnLength: given.turnLength ?? 1,
  atOnce: given.atOnce ?? 1,
  hours: given.hours ?? everyHour,
  activeFrom: given.activeFrom ?? null,
  activeUntil: given.activeUntil ?? null
})

type ScheduleHandoff = Pick<StoredRotation, "timezone" | "handoffDay" | "handoffTime">

/** A layer with its defaults; some are those of its schedule. */
export const settledLayer = (given: LayerInput, schedule: ScheduleHandoff, now: DateTime.Utc): Layer => {
  const { handoffDay, handoffTime, timezone } = schedule
  return {
    name: given.name ?? null,
    ...settledTurn({ handoffDay, handoffTime, ...given }, timezone, now),
    beside: given.beside ?? false
  }
}

/** A rotation with its defaults. */
export const settledRotation = (given: Omit<ScheduleInput, "name">, now: DateTime.Utc): StoredRotation => ({
  timezone: given.timezone,
  ...settledTurn(given, given.timezone, now),
  layers: (given.layers ?? []).map((layer) => settledLayer(layer, given, now))
})

/** Everyone whom a rotation names. */
export const namedInRotation = ({ layers = [], participants }: RotationSettings): ReadonlyArray<UserId> => [
  ...participants,
  ...layers.flatMap((layer) => layer.participants)
]

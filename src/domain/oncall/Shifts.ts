/** The shifts of an on-call schedule: the layers of its rotation with the overrides over them, and the times that nobody covers. */
import { Array, DateTime, Order } from "effect"
import type { OverrideId, UserId } from "../../../schema/Ids.ts"
import { covers, isSpan, type LayerTime, layerTimes, overlap, type Span } from "./LayerTimes.ts"
import { inOrderOfCreation, type OverrideWindow } from "./Overrides.ts"
import { type RotationSettings, turnsBetween } from "./Rotation.ts"

/** A time in which one person is on call, from `start` up to `end`. Where several are, their shifts overlap. */
export interface Shift extends Span {
  readonly userId: UserId
  /** The override that put the person there; null for the rotation. */
  readonly overrideId: OverrideId | null
}

/** Somebody on call, and what has put the person there: an override, or a turn of a layer. */
interface Duty {
  readonly userId: UserId
  readonly overrideId: OverrideId | null
  readonly source: string
}

/** A time in which the same people are on call. */
interface Stretch extends Span {
  readonly on: ReadonlyArray<Duty>
}

const onlyOnce = (duties: ReadonlyArray<Duty>): ReadonlyArray<Duty> =>
  duties.length < 2 ? duties : Array.dedupeWith(duties, (one, other) => one.userId === other.userId)

const dutiesOf = (layer: number, { turn }: LayerTime): ReadonlyArray<Duty> =>
  turn.users.map((userId) => ({ userId, overrideId: null, source: `${layer} ${turn.start.epochMillis}` }))

/** Puts somebody on call in the place of everybody, or of one person. */
const overridden = (duties: ReadonlyArray<Duty>, { id, insteadOf = null, userId }: OverrideWindow): ReadonlyArray<Duty> => {
  const duty: Duty = { userId, overrideId: id, source: id }
  return insteadOf === null ? [duty] : onlyOnce(duties.map((one) => (one.userId === insteadOf ? duty : one)))
}

interface Sources {
  /** The times of each layer, the lowest first. */
  readonly layers: ReadonlyArray<{ readonly beside: boolean; readonly times: ReadonlyArray<LayerTime> }>
  /** In order of creation. */
  readonly overrides: ReadonlyArray<OverrideWindow>
}

const sourcesOf = (
  { layers = [], timezone, ...own }: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  { end, start }: Span
): Sources => ({
  layers: [own, ...layers].map((layer) => ({
    beside: "beside" in layer && layer.beside === true,
    times: layerTimes(layer, timezone, start, end)
  })),
  overrides: Array.sort(overrides.filter((one) => overlap(one, { start, end }) || covers(one, start)), inOrderOfCreation)
})

/** The span and all that reaches into it, so that what is cut out of it is whole. */
const hullOf = ({ layers, overrides }: Sources, span: Span): Span =>
  [...layers.flatMap(({ times }) => [...times.slice(0, 1), ...times.slice(-1)]), ...overrides].reduce<Span>(
    (hull, { end, start }) => ({ start: DateTime.min(hull.start, start), end: DateTime.max(hull.end, end) }),
    span
  )

/** Cuts a span wherever something begins or ends. Each piece has the same people throughout. */
const stretchesIn = ({ layers, overrides }: Sources, span: Span): ReadonlyArray<Stretch> => {
  const cuts = [...layers.flatMap(({ times }) => times), ...overrides].flatMap(({ end, start }) => [start, end])
  const sorted = Array.sort([span.start, ...cuts.filter((at) => covers(span, at))], DateTime.Order)
  const starts = Array.dedupeAdjacentWith(sorted, DateTime.Equivalence)
  const cursors = layers.map(() => 0)
  return starts.map((start, index) => {
    let on: ReadonlyArray<Duty> = []
    for (const [layer, { beside, times }] of layers.entries()) {
      let cursor = cursors[layer] ?? 0
      while (cursor < times.length && DateTime.lessThanOrEqualTo(times[cursor]?.end ?? span.end, start)) cursor++
      cursors[layer] = cursor
      const time = times[cursor]
      if (time === undefined || DateTime.greaterThan(time.start, start)) continue
      on = beside ? onlyOnce([...on, ...dutiesOf(layer, time)]) : dutiesOf(layer, time)
    }
    for (const one of overrides) if (covers(one, start)) on = overridden(on, one)
    return { start, end: starts[index + 1] ?? span.end, on }
  })
}

const wholeStretches = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  span: Span
): ReadonlyArray<Stretch> => {
  const hull = hullOf(sourcesOf(settings, overrides, span), span)
  return stretchesIn(sourcesOf(settings, overrides, hull), hull).filter(isSpan)
}

/** Joins what has one source. Turns of the rotation stay apart, even if one person has several in a row. */
const shiftsOf = (stretches: ReadonlyArray<Stretch>): ReadonlyArray<Shift> => {
  const shifts: Array<Shift> = []
  let open = new Map<string, number>()
  for (const { end, on, start } of stretches) {
    const still = new Map<string, number>()
    for (const { overrideId, source, userId } of on) {
      const key = `${userId} ${source}`
      const index = open.get(key) ?? shifts.length
      shifts[index] = { userId, overrideId, start: shifts[index]?.start ?? start, end }
      still.set(key, index)
    }
    open = still
  }
  return shifts
}

const reaches = (span: Span) => (shift: Span): boolean => overlap(shift, span) || covers(shift, span.start)

/** The shifts that overlap the time from `from` up to `to`, by their start, each whole. */
export const shiftsBetween = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  from: DateTime.Utc,
  to: DateTime.Utc
): ReadonlyArray<Shift> => {
  const span = { start: from, end: to }
  return shiftsOf(wholeStretches(settings, overrides, span)).filter(reaches(span))
}

/** The shifts at an instant, whole: an override can last beyond a hand-off. `overrides` are all that end later. */
export const shiftsAt = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  at: DateTime.Utc
): ReadonlyArray<Shift> => shiftsBetween(settings, overrides, at, at)

/** The times from `from` up to `to` that no shift of these covers, in order. */
export const uncovered = (shifts: ReadonlyArray<Span>, from: DateTime.Utc, to: DateTime.Utc): ReadonlyArray<Span> => {
  const gaps: Array<Span> = []
  let reached = from
  for (const { end, start } of shifts) {
    if (DateTime.greaterThan(start, reached)) gaps.push({ start: reached, end: DateTime.min(start, to) })
    reached = DateTime.max(reached, end)
  }
  return [...gaps, { start: reached, end: to }].filter(isSpan)
}

/**
 * The people to page: for each person on call the person, then the others of the rotation, in case those before them have left the
 * workspace. Nobody in a gap.
 */
export const pagingTurns = (
  settings: RotationSettings,
  overrides: ReadonlyArray<OverrideWindow>,
  at: DateTime.Utc
): ReadonlyArray<Array.NonEmptyReadonlyArray<UserId>> => {
  const { layers = [], timezone, ...own } = settings
  const others = [own, ...layers].flatMap((layer) => {
    const [turn] = turnsBetween(layer, timezone, at, at)
    const first = Math.max(0, layer.participants.indexOf(turn.users[0]))
    return [...layer.participants.slice(first), ...layer.participants.slice(0, first)]
  })
  return shiftsAt(settings, overrides, at).map(({ userId }) => [userId, ...others])
}

export const byShiftStart = Order.mapInput(DateTime.Order, ({ start }: Span) => start)

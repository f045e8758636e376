/** Rotations of other services in Belltower's terms: turns of any length, hours of days, people by their addresses. */
import { DateTime, Either, Option, Schema } from "effect"
import type { OnCallHours } from "../../../../schema/oncall/Rotation.ts"
import { ScheduleEntry } from "../../../../schema/plan/WorkspaceDocument.ts"
import { hasEnded } from "../../oncall/Overrides.ts"
import { counted } from "../../tools/text/Counted.ts"
import { dateOf, localDay } from "../../tools/time/LocalTime.ts"
import { cut, type Notes } from "../Carry.ts"
import type { FoundSchedule } from "../Inventory.ts"

/** A rotation of a source. Later ones win, unless they are beside those before. */
export interface SourceLayer {
  readonly name: string | null
  /** Addresses; as many at a time as `atOnce`. */
  readonly people: ReadonlyArray<string>
  readonly atOnce: number
  readonly turnSec: number
  /** When the first person's turn begins. */
  readonly start: DateTime.Utc
  /** From when and until when it applies; null for no such time. */
  readonly from: DateTime.Utc | null
  readonly until: DateTime.Utc | null
  readonly hours: ReadonlyArray<OnCallHours>
  readonly beside: boolean
}

export interface SourceOverride {
  readonly user: string
  readonly start: DateTime.Utc
  readonly end: DateTime.Utc
}

export interface SourceSchedule {
  readonly id: string
  readonly name: string
  readonly timezone: string
  readonly layers: ReadonlyArray<SourceLayer>
  readonly overrides: ReadonlyArray<SourceOverride>
}

const [hourSec, daySec, weekSec] = [3600, 86_400, 604_800]
const dayMinutes = 1440
const [mostTurns, mostPeople, mostHours, mostLayers] = [52, 50, 7, 11]

const clock = (minutes: number): string => {
  const within = ((minutes % dayMinutes) + dayMinutes) % dayMinutes
  return `${String(Math.floor(within / 60)).padStart(2, "0")}:${String(within % 60).padStart(2, "0")}`
}

export const everyDay: ReadonlyArray<number> = [0, 1, 2, 3, 4, 5, 6]

/** The hours of a time that begins on days of the week at some minute. One that is longer than a day goes on over the next ones. */
export const hoursOf = (days: ReadonlyArray<number>, start: number, minutes: number): ReadonlyArray<OnCallHours> => {
  const pieces: Array<OnCallHours> = []
  const first = Math.min(minutes, minutes > dayMinutes ? dayMinutes - start : dayMinutes)
  pieces.push({ days, from: clock(start), to: clock(start + first) })
  for (let [left, later] = [minutes - first, 1]; left > 0 && later <= 7; left -= dayMinutes, later++) {
    pieces.push({ days: days.map((day) => (day + later) % 7), from: "00:00", to: clock(Math.min(left, dayMinutes)) })
  }
  return pieces
}

/** Joins hours of different days that are alike. Null if they are too many. */
export const joinedHours = (hours: ReadonlyArray<OnCallHours>): ReadonlyArray<OnCallHours> | null => {
  const alike = new Map<string, OnCallHours>()
  for (const one of hours) {
    const key = `${one.from} ${one.to}`
    const days = [...new Set([...alike.get(key)?.days ?? [], ...one.days])].sort()
    alike.set(key, { ...one, days })
  }
  return alike.size > mostHours ? null : [...alike.values()]
}

type Entry = Readonly<Record<string, unknown>>

const localStart = (start: DateTime.Utc, timezone: string) => {
  const { hours, minutes } = DateTime.toParts(DateTime.unsafeSetZoneNamed(start, timezone))
  return { day: localDay(start, timezone), minutes: hours * 60 + minutes }
}

/** Turns of hours that fill a day, as layers of one day each at other hours. */
const hourly = (layer: SourceLayer, timezone: string): ReadonlyArray<Entry> | null => {
  const perDay = daySec / layer.turnSec
  if (!Number.isInteger(perDay) || layer.hours.length > 0 || layer.atOnce > 1) return null
  const { day, minutes } = localStart(layer.start, timezone)
  return Array.from({ length: perDay }, (_, nth) => {
    const from = minutes + nth * layer.turnSec / 60
    return {
      turnUnit: "day",
      handoffDay: 0,
      handoffTime: clock(from),
      startDay: dateOf(day + Math.floor(from / dayMinutes)),
      participants: layer.people.map((_, turn) => layer.people[(turn * perDay + nth) % layer.people.length]),
      hours: [{ days: everyDay, from: clock(from), to: clock(from + layer.turnSec / 60) }]
    }
  })
}

const plain = (layer: SourceLayer, timezone: string): ReadonlyArray<Entry> | null => {
  const isWeek = layer.turnSec % weekSec === 0
  const length = layer.turnSec / (isWeek ? weekSec : daySec)
  if (!Number.isInteger(length) || length > mostTurns) return null
  const { day, minutes } = localStart(layer.start, timezone)
  return [{
    turnUnit: isWeek ? "week" : "day",
    turnLength: length,
    handoffDay: (((day + 3) % 7) + 7) % 7,
    handoffTime: clock(minutes),
    startDay: dateOf(day),
    participants: layer.people,
    atOnce: layer.atOnce,
    hours: layer.hours
  }]
}

const shownTurn = (seconds: number): string =>
  seconds % hourSec === 0 ? counted(seconds / hourSec, "hour") : counted(seconds, "second")

/** The layers that a rotation becomes; none with a note for one that cannot be carried. */
const layersOf = (layer: SourceLayer, timezone: string, now: DateTime.Utc, notes: Notes): ReadonlyArray<Entry> => {
  const named = layer.name === null ? "A rotation" : `The rotation ${layer.name}`
  const lose = (why: string): ReadonlyArray<Entry> => {
    notes.say(`${named} is not carried: ${why}`)
    return []
  }
  if (layer.until !== null && hasEnded({ start: layer.start, end: layer.until }, now)) return []
  if (layer.people.length === 0) return lose("nobody in it has an address in the document")
  if (layer.people.length > mostPeople) return lose(`it has more than ${mostPeople} people`)
  const found = layer.turnSec > 0 ? plain(layer, timezone) ?? hourly(layer, timezone) : null
  if (found === null) return lose(`turns of ${shownTurn(layer.turnSec)} have no like here`)
  const from = layer.from !== null && DateTime.greaterThan(layer.from, now) ? layer.from : null
  return found.map((one) => ({
    ...one,
    ...(layer.name === null ? {} : { name: cut(notes, "The name of a rotation", layer.name, 80) }),
    ...(from === null ? {} : { activeFrom: DateTime.formatIso(from) }),
    ...(layer.until === null ? {} : { activeUntil: DateTime.formatIso(layer.until) }),
    ...(layer.beside ? { beside: true } : {})
  }))
}

const decodeEntry = Schema.decodeUnknownEither(ScheduleEntry)

/** Either the schedule, or why it cannot be carried at all. */
export const foundSchedule = (
  { id, layers, name, overrides, timezone }: SourceSchedule,
  now: DateTime.Utc,
  notes: Notes
): Either.Either<FoundSchedule, string> => {
  const lost = (why: string) => Either.left(`The schedule ${name} is not carried: ${why}`)
  if (Option.isNone(DateTime.zoneMakeNamed(timezone))) return lost("its time zone is not known")
  const [own, ...over] = layers.flatMap((layer) => layersOf(layer, timezone, now, notes))
  if (own === undefined) return lost(notes.all.join(". ") || "it has no rotation")
  if (over.length >= mostLayers) return lost(`it would have more than ${mostLayers} layers`)
  const { beside: _, name: __, ...base } = own
  const left = overrides.filter((one) => !hasEnded(one, now))
    .map(({ end, start, user }) => ({ user, start: DateTime.formatIso(start), end: DateTime.formatIso(end) }))
  const entry = decodeEntry({
    ...base,
    key: "schedule",
    name: cut(notes, "The name", name, 80),
    timezone,
    layers: over,
    overrides: left
  })
  return Either.mapBoth(entry, {
    onLeft: ({ message }) => `The schedule ${name} is not carried: ${message.slice(0, 200)}`,
    onRight: (decoded): FoundSchedule => ({ ref: `schedule:${id}`, name, notes: notes.all, entry: decoded })
  })
}

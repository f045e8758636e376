/** The rotation of an on-call schedule: who takes turns, how long a turn is, and at which hours. A schedule has one or more layers. */
import { Schema } from "effect"
import { beginsWithDay, clockTime, list, name, optional, orNull, textLike, Timestamp, whole } from "../Fields.ts"
import { UserId } from "../Ids.ts"

const localDate = Schema.String.pipe(
  Schema.filter((value) => (/^\d{4}-\d{2}-\d{2}$/.test(value) && beginsWithDay(value)) || "Expected a date YYYY-MM-DD")
).annotations({ jsonSchema: { type: "string", format: "date", examples: ["2026-11-16"] } })

export const handoffTime = clockTime("Local time, HH:MM", "09:00")

export const handoffDay = whole(0, 6).annotations({
  description: "Day of the hand-off, 0 is Monday",
  examples: [0]
})

/** At most 50 in the order of the rotation. */
export const inTurn = <A, I>(who: Schema.Schema<A, I>, what: string) =>
  Schema.NonEmptyArray(who).pipe(Schema.maxItems(50)).annotations({
    description: `${what} in order of the rotation, a turn each; default a week`
  })
export const participants = inTurn(UserId, "Members")

export const startDay = localDate.annotations({
  description: "First participant's turn holds this local date; default today"
})

const TurnUnit = Schema.Literal("day", "week")

/** Hours of the local clock, on days of the week. */
const OnCallHours = Schema.Struct({
  days: list(whole(0, 6), 7).pipe(Schema.minItems(1)).annotations({
    description: "Days they begin on, 0 is Monday",
    examples: [[0, 1, 2, 3, 4]]
  }),
  from: clockTime("Local start, HH:MM", "08:00"),
  to: clockTime("Local end, HH:MM; on the next day unless it is after from", "20:00")
}).annotations({ identifier: "OnCallHours" })
export type OnCallHours = typeof OnCallHours.Type

const hours = list(OnCallHours, 7).annotations({ description: "Only at these hours", examples: [[]] })

/** The optional fields of a layer, the specified one of a schedule among them. */
export const turnInput = {
  turnUnit: optional(TurnUnit, "Of turns; default week", "week"),
  turnLength: optional(whole(1, 52), "Units in a turn; default 1", 1),
  atOnce: optional(
    whole(1, 10),
    "People on call together; default 1",
    1
  ),
  hours: optional(hours),
  activeFrom: optional(Schema.NullOr(Timestamp), "Nobody of it is on call before"),
  activeUntil: optional(Schema.NullOr(Timestamp), "Nobody of it is on call from then on")
}

/** The same as stored. */
const turnFields = {
  turnUnit: TurnUnit.annotations({ description: "Whether turns last days or weeks" }),
  turnLength: Schema.Int.annotations({ description: "Days or weeks of a turn" }),
  atOnce: Schema.Int.annotations({ description: "How many people are on call together" }),
  hours: Schema.Array(OnCallHours).annotations({ description: "Only at these hours" }),
  activeFrom: orNull(Timestamp, "Nobody of it is on call before"),
  activeUntil: orNull(Timestamp, "Nobody of it is on call from then on")
}

/** At most so many layers over the first one. */
const mostLayers = 10

export const layerInput = {
  name: optional(name(80), undefined, "Weekend"),
  handoffDay: optional(handoffDay, "0 is Monday; default that of the schedule"),
  handoffTime: optional(handoffTime, "Default that of the schedule"),
  startDay: optional(startDay),
  ...turnInput,
  beside: optional(
    Schema.Boolean,
    "Whether its people join those of the layers below; by default they take their place"
  )
}

const LayerInput = Schema.Struct({ ...layerInput, participants }).annotations({ identifier: "OnCallLayerInput" })
export type LayerInput = typeof LayerInput.Type

/** Layers over the rotation of the schedule itself. */
export const layersOf = <A, I>(layer: Schema.Schema<A, I>) =>
  list(layer, mostLayers).annotations({
    description: "Layers over its own rotation; the later one wins"
  })
export const layers = layersOf(LayerInput)

const Layer = Schema.Struct({
  name: Schema.NullOr(textLike("Weekend")),
  handoffDay: Schema.Int,
  handoffTime: textLike("09:00", "Local time of the hand-off"),
  participants: Schema.NonEmptyArray(UserId),
  startDay: textLike("2026-11-16"),
  ...turnFields,
  beside: Schema.Boolean.annotations({ description: "Whether it adds its people to those below instead of replacing them" })
}).annotations({ identifier: "OnCallLayer" })
export type Layer = typeof Layer.Type

/** The rotation as stored: the schedule's own layer, and those over it. */
export const rotationFields = {
  timezone: textLike("Europe/Athens"),
  handoffDay: Schema.Int,
  handoffTime: textLike("09:00", "Local time of the hand-off"),
  participants: Schema.NonEmptyArray(UserId),
  startDay: textLike("2026-11-16"),
  ...turnFields,
  layers: Schema.Array(Layer).annotations({ description: "Layers over the schedule's own rotation; the later one wins" })
}

/** A rotation, as history keeps it. */
export const StoredRotation = Schema.Struct(rotationFields)
export type StoredRotation = typeof StoredRotation.Type

/** On-call schedules: a weekly rotation with overrides, and who is on call. */
import { Schema } from "effect"
import { clockTime, name, optional, orNull, text, textLike, Timestamp, timezone, whole } from "../Fields.ts"
import { OverrideId, ScheduleId, UserId } from "../Ids.ts"
import { Role } from "../workspace/Workspace.ts"

const handoffTime = clockTime("Local time of the hand-off, HH:MM in 24 hours", "09:00")

const localDate = Schema.String.pipe(
  Schema.filter((value) => {
    const parsed = /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00Z`) : null
    return (parsed !== null && !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value)) ||
      "Expected a date YYYY-MM-DD"
  })
).annotations({ jsonSchema: { type: "string", format: "date", examples: ["2026-11-16"] } })

const scheduleName = name(80).annotations({ examples: ["Platform on-call"] })
const handoffDay = whole(0, 6).annotations({ description: "Day of the hand-off, 0 for Monday to 6 for Sunday", examples: [0] })
const participants = Schema.NonEmptyArray(UserId).pipe(Schema.maxItems(50)).annotations({
  description: "Members in the order of the rotation, each on call for one week"
})
const startDay = localDate.annotations({
  description: "Local date whose rotation week the first participant takes; default the current week"
})

export const ScheduleInput = Schema.Struct({
  name: scheduleName,
  timezone: timezone(64),
  handoffDay,
  handoffTime,
  participants,
  startDay: optional(startDay)
}).annotations({ identifier: "OnCallScheduleInput" })
export type ScheduleInput = typeof ScheduleInput.Type

export const ScheduleUpdate = Schema.Struct({
  name: optional(scheduleName),
  timezone: optional(timezone(64)),
  handoffDay: optional(handoffDay),
  handoffTime: optional(handoffTime),
  participants: optional(participants),
  startDay: optional(startDay),
  rotateFeed: optional(Schema.Boolean, "true replaces feedUrl of every reader; the old addresses stop working")
}).annotations({ identifier: "OnCallScheduleUpdate" })
export type ScheduleUpdate = typeof ScheduleUpdate.Type

export const OverrideInput = Schema.Struct({
  userId: UserId,
  start: Timestamp,
  end: Timestamp,
  note: optional(text(200).annotations({ examples: ["Swapped with Alex"] }))
}).annotations({ identifier: "OnCallOverrideInput" })
export type OverrideInput = typeof OverrideInput.Type

export const Override = Schema.Struct({
  id: OverrideId,
  scheduleId: ScheduleId.annotations({ description: "Schedule that it changes" }),
  userId: UserId,
  start: Timestamp.annotations({ description: "When it begins" }),
  end: Timestamp.annotations({ description: "When it ends" }),
  note: Schema.NullOr(textLike("Swapped with Alex")),
  createdAt: Timestamp
}).annotations({ identifier: "OnCallOverride" })
export type Override = typeof Override.Type

export const OnCallPerson = Schema.Struct({
  id: UserId,
  name: Schema.NullOr(textLike("Sam Field")),
  email: orNull(textLike("sam@example.com"), "Null for someone who has left the workspace"),
  reachable: Schema.Boolean.annotations({
    description: "Whether a page reaches the person. Pages go by email only, to a confirmed address"
  })
}).annotations({ identifier: "OnCallPerson" })
export type OnCallPerson = typeof OnCallPerson.Type

export const OnCallShift = Schema.Struct({
  user: OnCallPerson.annotations({ description: "Who is on call" }),
  start: Timestamp.annotations({ description: "When the shift begins" }),
  end: Timestamp.annotations({ description: "When the shift ends" }),
  overrideId: orNull(OverrideId, "Override that the shift comes from; null for the rotation")
}).annotations({ identifier: "OnCallShift" })
export type OnCallShift = typeof OnCallShift.Type

/** The settings of a schedule, as they are stored. */
export const scheduleFields = {
  id: ScheduleId,
  name: textLike("Platform on-call"),
  timezone: textLike("Europe/Athens"),
  handoffDay: Schema.Int,
  handoffTime: textLike("09:00", "Local time of the hand-off"),
  participants: Schema.NonEmptyArray(UserId),
  startDay: textLike("2026-11-16"),
  createdAt: Timestamp,
  updatedAt: Timestamp
}

export const pagingWarnings = Schema.Array(textLike("Sam Field cannot be paged: the email address is not confirmed."))
  .annotations({
    description: "The people named here whom no page reaches. Pages go by email only, to a confirmed address"
  })

export const Schedule = Schema.Struct({
  ...scheduleFields,
  current: OnCallShift.annotations({ description: "The shift now" }),
  overrides: Schema.Array(Override).annotations({ description: "Overrides that have not ended, by their start" }),
  shifts: optional(Schema.Array(OnCallShift)).annotations({ description: "Shifts of the next days; only with days" }),
  warnings: pagingWarnings,
  feedUrl: textLike(
    "https://belltower.example/oncall/sch_01k9x2m4q8e7s9v3bthn5wza6c/<token>.ics",
    "iCalendar feed of the shifts. Its address is a credential of the caller and ends with the caller's access"
  )
}).annotations({ identifier: "OnCallSchedule" })
export type Schedule = typeof Schedule.Type

export const CurrentOnCall = Schema.Struct({
  scheduleId: ScheduleId.annotations({ description: "The schedule" }),
  scheduleName: textLike("Platform on-call", "Name of the schedule"),
  user: OnCallPerson.annotations({ description: "Who is on call" }),
  since: Timestamp.annotations({ description: "When the shift began" }),
  until: Timestamp.annotations({ description: "When the next shift begins" }),
  override: Schema.Boolean.annotations({ description: "Whether an override put the person there" })
}).annotations({ identifier: "CurrentOnCall" })
export type CurrentOnCall = typeof CurrentOnCall.Type

export const OnCallMember = Schema.Struct({
  id: UserId,
  name: Schema.NullOr(textLike("Sam Field")),
  email: textLike("sam@example.com"),
  role: Role.annotations({ description: "What the person may do" }),
  contact: Schema.Struct({
    email: Schema.Boolean.annotations({
      description: "Whether pages reach the person by email: the address is confirmed, and the server sends mail"
    }),
    phone: Schema.Boolean.annotations({ description: "Whether a phone number is recorded. Nobody is paged by phone yet" }),
    slack: Schema.Boolean.annotations({ description: "Whether a Slack member id is recorded. Nobody is paged in Slack yet" }),
    telegram: Schema.Boolean.annotations({ description: "Whether a Telegram name is recorded. Nobody is paged in Telegram yet" })
  }).annotations({ description: "Whether pages reach the person by email, the only way today, and what else is recorded" })
}).annotations({ identifier: "OnCallMember" })
export type OnCallMember = typeof OnCallMember.Type

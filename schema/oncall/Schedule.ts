/** On-call schedules: a rotation of one or more layers with overrides, and who is on call. */
import { Schema } from "effect"
import { described, list, name, optional, orNull, text, textLike, Timestamp, timezone } from "../Fields.ts"
import { OverrideId, ScheduleId, UserId } from "../Ids.ts"
import { Role } from "../workspace/Workspace.ts"
import { handoffDay, handoffTime, layers, participants, rotationFields, startDay, turnInput } from "./Rotation.ts"
import { WayKind } from "./Way.ts"

const scheduleName = name(80).annotations({ examples: ["Platform on-call"] })

export const ScheduleInput = Schema.Struct({
  name: scheduleName,
  timezone: timezone(64),
  handoffDay,
  handoffTime,
  participants,
  startDay: optional(startDay),
  ...turnInput,
  layers: optional(layers)
}).annotations({ identifier: "OnCallScheduleInput" })
export type ScheduleInput = typeof ScheduleInput.Type

export const ScheduleUpdate = Schema.Struct({
  name: optional(scheduleName),
  timezone: optional(timezone(64)),
  handoffDay: optional(handoffDay),
  handoffTime: optional(handoffTime),
  participants: optional(participants),
  startDay: optional(startDay),
  ...turnInput,
  layers: optional(layers),
  rotateFeed: optional(Schema.Boolean, "true replaces feedUrl")
}).annotations({ identifier: "OnCallScheduleUpdate" })
export type ScheduleUpdate = typeof ScheduleUpdate.Type

const insteadOf = "Takes the place of this person only"

export const OverrideInput = Schema.Struct({
  userId: UserId,
  insteadOf: optional(UserId, insteadOf),
  start: Timestamp,
  end: Timestamp,
  note: optional(text(200).annotations({ examples: ["Swapped with Alex"] }))
}).annotations({ identifier: "OnCallOverrideInput" })
export type OverrideInput = typeof OverrideInput.Type

export const Override = Schema.Struct({
  id: OverrideId,
  scheduleId: ScheduleId.annotations({ description: "Schedule that it changes" }),
  userId: UserId,
  insteadOf: orNull(UserId, "Whose place it takes; null for everybody's"),
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
  reachable: Schema.Boolean.annotations({ description: "Whether a page reaches the person" })
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
  ...rotationFields,
  createdAt: Timestamp,
  updatedAt: Timestamp
}

const OnCallGap = Schema.Struct({
  start: Timestamp.annotations({ description: "From when nobody is on call" }),
  end: Timestamp.annotations({ description: "Until when, at most the end of the days" })
}).annotations({ identifier: "OnCallGap" })

/** A shift of a person, as it was read. */
const ShiftRef = Schema.Struct({ userId: UserId, start: Timestamp, end: Timestamp }).annotations({ identifier: "OnCallShiftRef" })
export type ShiftRef = typeof ShiftRef.Type

export const ShiftSwap = Schema.Struct({
  one: described(ShiftRef, "A shift, as it was read"),
  other: described(ShiftRef, "The other person's shift")
}).annotations({ identifier: "OnCallShiftSwap" })
export type ShiftSwap = typeof ShiftSwap.Type

/** Characters of a calendar: some thousand events. */
export const largestCalendar = 1_000_000

export const CalendarInput = Schema.Struct({
  calendar: text(largestCalendar).annotations({
    description: "iCalendar text. Attendee or summary names a member",
    examples: ["BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"]
  })
}).annotations({ identifier: "OnCallCalendarInput" })
export type CalendarInput = typeof CalendarInput.Type

export const TakenCalendar = Schema.Struct({
  added: Schema.Array(Override).annotations({ description: "Overrides that were made of its events" }),
  skipped: list(
    Schema.Struct({
      summary: textLike("Sam on call", "What the event says"),
      reason: textLike("It has ended", "Why no override was made of it")
    }),
    100
  ).annotations({ description: "Events that no override was made of, at most 100" })
}).annotations({ identifier: "OnCallTakenCalendar" })
export type TakenCalendar = typeof TakenCalendar.Type

export const pagingWarnings = Schema.Array(textLike("Sam Field cannot be paged: the email address is not confirmed."))
  .annotations({
    description: "The people named here whom no page reaches, and times at which nobody is on call"
  })

/** The answer to a new override. */
export const CreatedOverride = Schema.Struct({
  ...Override.fields,
  warnings: optional(pagingWarnings)
}).annotations({ identifier: "CreatedOnCallOverride" })
export type CreatedOverride = typeof CreatedOverride.Type

export const Schedule = Schema.Struct({
  ...scheduleFields,
  current: orNull(OnCallShift, "The first shift now; null while nobody is on call"),
  onCall: Schema.Array(OnCallShift).annotations({ description: "All shifts now, of one person each" }),
  overrides: Schema.Array(Override).annotations({ description: "Overrides that have not ended, by their start" }),
  shifts: optional(Schema.Array(OnCallShift)).annotations({
    description: "Shifts of the days, of one person each; only with days"
  }),
  gaps: optional(Schema.Array(OnCallGap)).annotations({
    description: "Times of the days at which nobody is on call; only with days"
  }),
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
  user: orNull(OnCallPerson, "Who is on call; null for nobody"),
  since: orNull(Timestamp, "When the shift began; null if nobody was on call in the 42 days before"),
  until: orNull(Timestamp, "When the next shift begins; null if nobody is on call in the 42 days after"),
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
    phone: Schema.Boolean.annotations({ description: "Whether the contact profile has a phone number" }),
    slack: Schema.Boolean.annotations({ description: "Whether the contact profile has a Slack member id" }),
    telegram: Schema.Boolean.annotations({ description: "Whether the contact profile has a Telegram name" }),
    ways: Schema.Array(WayKind).annotations({ description: "Kinds of ways by which pages reach the person" })
  }).annotations({ description: "Whether pages reach the person, and what the contact profile has" })
}).annotations({ identifier: "OnCallMember" })
export type OnCallMember = typeof OnCallMember.Type

/** On-call schedules and escalation policies. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { optional, Timestamp, wholeText } from "../Fields.ts"
import { OverrideId, PolicyId, ScheduleId } from "../Ids.ts"
import { Policy, PolicyInput, PolicyUpdate } from "../oncall/Policy.ts"
import {
  CalendarInput,
  CreatedOverride,
  CurrentOnCall,
  OnCallMember,
  Override,
  OverrideInput,
  Schedule,
  ScheduleInput,
  ScheduleUpdate,
  ShiftSwap,
  TakenCalendar
} from "../oncall/Schedule.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { all, deleted } from "./parts/Answers.ts"

const scheduleId = HttpApiSchema.param("id", ScheduleId)
const overrideId = HttpApiSchema.param("overrideId", OverrideId)
const policyId = HttpApiSchema.param("id", PolicyId)

const current = HttpApiEndpoint.get("get_current_oncall", "/oncall/current")
  .setUrlParams(Schema.Struct({
    scheduleId: optional(ScheduleId, "Only this schedule"),
    at: optional(Timestamp, "Default now")
  }))
  .addSuccess(all(CurrentOnCall))
  .addError(wire.notFound)
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "Show who is on call now")
  .annotate(OpenApi.Description, "An entry for each person of each schedule; one with user null where nobody is on call.")

const listSchedules = HttpApiEndpoint.get("list_oncall_schedules", "/oncall/schedules")
  .setUrlParams(Schema.Struct({ days: optional(wholeText(0, 42), "Days of shifts; default 0") }))
  .addSuccess(all(Schedule))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List on-call schedules")

const getSchedule = HttpApiEndpoint.get("get_oncall_schedule")`/oncall/schedules/${scheduleId}`
  .setUrlParams(Schema.Struct({
    days: optional(wholeText(1, 42), "Days of shifts; default 14"),
    from: optional(Timestamp, "When the days begin; default now")
  }))
  .addSuccess(Schedule)
  .addError(wire.notFound)
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "Get an on-call schedule with its shifts")

const createSchedule = HttpApiEndpoint.post("create_oncall_schedule", "/oncall/schedules")
  .setPayload(ScheduleInput)
  .addSuccess(Schedule, { status: 201 })
  .addError(Schema.Union(wire.validationFailed, wire.planLimit))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Create an on-call schedule")

const updateSchedule = HttpApiEndpoint.patch("update_oncall_schedule")`/oncall/schedules/${scheduleId}`
  .setPayload(ScheduleUpdate)
  .addSuccess(Schedule)
  .addError(Schema.Union(wire.notFound, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Update an on-call schedule")

const deleteSchedule = HttpApiEndpoint.del("delete_oncall_schedule")`/oncall/schedules/${scheduleId}`
  .addSuccess(deleted(ScheduleId))
  .addError(wire.notFound)
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Delete an on-call schedule")

const createOverride = HttpApiEndpoint.post("create_oncall_override")`/oncall/schedules/${scheduleId}/overrides`
  .setPayload(OverrideInput)
  .addSuccess(CreatedOverride, { status: 201 })
  .addError(Schema.Union(wire.notFound, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Put somebody on call for a time")
  .annotate(OpenApi.Description, "Wins over the rotation and older overrides. Mails those whose shifts change.")

const swapShifts = HttpApiEndpoint.post("swap_oncall_shifts")`/oncall/schedules/${scheduleId}/swap`
  .setPayload(ShiftSwap)
  .addSuccess(all(Override), { status: 201 })
  .addError(Schema.Union(wire.notFound, wire.validationFailed, wire.conflict))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Swap the shifts of two people")
  .annotate(
    OpenApi.Description,
    "Makes two overrides and mails both people. A shift that has changed since it was read is refused."
  )

const takeCalendar = HttpApiEndpoint.post("import_oncall_calendar")`/oncall/schedules/${scheduleId}/calendar`
  .setPayload(CalendarInput)
  .addSuccess(TakenCalendar)
  .addError(Schema.Union(wire.notFound, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Take in shifts of an iCalendar")
  .annotate(
    OpenApi.Description,
    "Makes an override of each event of the next 90 days that names one member. Taking it in again adds only what is new."
  )

const deleteOverride = HttpApiEndpoint.del("delete_oncall_override")`/oncall/schedules/${scheduleId}/overrides/${overrideId}`
  .addSuccess(deleted(OverrideId))
  .addError(wire.notFound)
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Delete an on-call override")

const listMembers = HttpApiEndpoint.get("list_oncall_members", "/oncall/members")
  .addSuccess(all(OnCallMember))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List members and how they can be paged")

const listPolicies = HttpApiEndpoint.get("list_escalation_policies", "/escalation-policies")
  .addSuccess(all(Policy))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List escalation policies")

const createPolicy = HttpApiEndpoint.post("create_escalation_policy", "/escalation-policies")
  .setPayload(PolicyInput)
  .addSuccess(Policy, { status: 201 })
  .addError(Schema.Union(wire.validationFailed, wire.planLimit))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Create an escalation policy")
  .annotate(OpenApi.Description, "Pages level 1 when an incident opens, then each next level until somebody acknowledges.")

const updatePolicy = HttpApiEndpoint.patch("update_escalation_policy")`/escalation-policies/${policyId}`
  .setPayload(PolicyUpdate)
  .addSuccess(Policy)
  .addError(Schema.Union(wire.notFound, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Update an escalation policy")
  .annotate(
    OpenApi.Description,
    "Running escalations follow it. The level that is planned next keeps its time, and pages the targets that it has then; the waits of the levels after it are the new ones. An incident keeps its policy, also when monitors or pages move to another one."
  )

const deletePolicy = HttpApiEndpoint.del("delete_escalation_policy")`/escalation-policies/${policyId}`
  .addSuccess(deleted(PolicyId))
  .addError(wire.notFound)
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Delete an escalation policy")
  .annotate(OpenApi.Description, "Ends its escalations.")

export class OnCall extends HttpApiGroup.make("On-call")
  .annotate(OpenApi.Description, "On-call schedules, and the policies by which incidents are escalated.")
  .add(current)
  .add(listSchedules)
  .add(getSchedule)
  .add(createSchedule)
  .add(updateSchedule)
  .add(deleteSchedule)
  .add(createOverride)
  .add(swapShifts)
  .add(takeCalendar)
  .add(deleteOverride)
  .add(listMembers)
  .add(listPolicies)
  .add(createPolicy)
  .add(updatePolicy)
  .add(deletePolicy)
{}

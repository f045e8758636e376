/** Mutes of alerts. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { FlagText, optional, wholeText } from "../Fields.ts"
import { MuteId } from "../Ids.ts"
import { Mute, MuteInput, MuteRecord } from "../mute/Mute.ts"
import { ReadAccess, WriteAccess } from "./Access.ts"
import { paged } from "./parts/Answers.ts"

const muteId = HttpApiSchema.param("id", MuteId)

const listQuery = Schema.Struct({
  active: optional(FlagText, "Only those that run"),
  before: optional(MuteId, "next of the page before"),
  limit: optional(wholeText(1, 200), "Default 50")
})

export class Mutes extends HttpApiGroup.make("Mutes")
  .annotate(OpenApi.Description, "Times in which alerts about monitors wait.")
  .add(
    HttpApiEndpoint.post("create_mute", "/mutes")
      .setPayload(MuteInput)
      .addSuccess(MuteRecord, { status: 201 })
      .addError(wire.validationFailed)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "Mute monitors")
      .annotate(
        OpenApi.Description,
        "Alerts, reminders and pages about them wait, for example during a deploy. Checks, states, incidents and status pages go " +
          "on. A monitor that is still down afterwards alerts."
      )
  )
  .add(
    HttpApiEndpoint.get("list_mutes", "/mutes")
      .setUrlParams(listQuery)
      .addSuccess(paged(Mute, MuteId))
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "List mutes")
      .annotate(OpenApi.Description, "Newest first.")
  )
  .add(
    HttpApiEndpoint.get("get_mute")`/mutes/${muteId}`
      .addSuccess(MuteRecord)
      .addError(wire.notFound)
      .middleware(ReadAccess)
      .annotate(OpenApi.Summary, "Get a mute")
  )
  .add(
    HttpApiEndpoint.del("end_mute")`/mutes/${muteId}`
      .addSuccess(MuteRecord)
      .addError(wire.notFound)
      .middleware(WriteAccess)
      .annotate(OpenApi.Summary, "End a mute now")
      .annotate(OpenApi.Description, "It stays in the list. One that has ended stays as it is.")
  )
{}

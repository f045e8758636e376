/** The contact ways of people, their personal rules, and the log of pages. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { wire } from "../Errors.ts"
import { IncidentId, UserId, WayId } from "../Ids.ts"
import {
  ContactWay,
  ContactWayInput,
  ContactWays,
  IncidentPagings,
  PagingRules,
  PagingRulesInput,
  VerifyWayInput,
  WayTest
} from "../oncall/Way.ts"
import { LeastRole, ReadAccess, WriteAccess } from "./Access.ts"
import { deleted } from "./parts/Answers.ts"
import { PrivateAnswer, ReachesOut } from "./parts/Hints.ts"

const userId = HttpApiSchema.param("userId", UserId)
const wayId = HttpApiSchema.param("id", WayId)
const incidentId = HttpApiSchema.param("id", IncidentId)

const ownOrAdmin = "Only for the person, whatever the role, and for admins and their keys."

const listWays = HttpApiEndpoint.get("list_contact_ways")`/oncall/members/${userId}/ways`
  .addSuccess(ContactWays)
  .addError(Schema.Union(wire.forbidden, wire.notFound))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List how a person is paged")
  .annotate(OpenApi.Description, `${ownOrAdmin} list_oncall_members says to everybody which kinds reach whom.`)

const createWay = HttpApiEndpoint.post("create_contact_way")`/oncall/members/${userId}/ways`
  .setPayload(ContactWayInput)
  .addSuccess(ContactWay, { status: 201 })
  .addError(Schema.Union(wire.forbidden, wire.notFound, wire.validationFailed, wire.rateLimited))
  .middleware(WriteAccess)
  .annotate(PrivateAnswer, true)
  .annotate(LeastRole, "viewer")
  .annotate(ReachesOut, true)
  .annotate(OpenApi.Summary, "Add a way to page a person")
  .annotate(
    OpenApi.Description,
    `Sends a code there; the way is used once verify_contact_way has it. A device that its person adds signed in needs none. ${ownOrAdmin}`
  )

const verifyWay = HttpApiEndpoint.post("verify_contact_way")`/oncall/members/${userId}/ways/${wayId}/verify`
  .setPayload(VerifyWayInput)
  .addSuccess(ContactWay)
  .addError(Schema.Union(wire.forbidden, wire.notFound, wire.validationFailed, wire.rateLimited))
  .middleware(WriteAccess)
  .annotate(PrivateAnswer, true)
  .annotate(LeastRole, "viewer")
  .annotate(ReachesOut, true)
  .annotate(OpenApi.Summary, "Prove a contact way by its code")
  .annotate(OpenApi.Description, ownOrAdmin)

const testWay = HttpApiEndpoint.post("test_contact_way")`/oncall/members/${userId}/ways/${wayId}/test`
  .addSuccess(WayTest)
  .addError(Schema.Union(wire.forbidden, wire.notFound, wire.conflict, wire.rateLimited))
  .middleware(WriteAccess)
  .annotate(LeastRole, "viewer")
  .annotate(ReachesOut, true)
  .annotate(OpenApi.Summary, "Send a test by a contact way")
  .annotate(OpenApi.Description, `One attempt. create_drill with person tries all ways. ${ownOrAdmin}`)

const deleteWay = HttpApiEndpoint.del("delete_contact_way")`/oncall/members/${userId}/ways/${wayId}`
  .addSuccess(deleted(WayId))
  .addError(Schema.Union(wire.forbidden, wire.notFound))
  .middleware(WriteAccess)
  .annotate(LeastRole, "viewer")
  .annotate(OpenApi.Summary, "Delete a contact way")
  .annotate(OpenApi.Description, ownOrAdmin)

const getRules = HttpApiEndpoint.get("get_paging_rules")`/oncall/members/${userId}/rules`
  .addSuccess(PagingRules)
  .addError(Schema.Union(wire.forbidden, wire.notFound))
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "Get a person's paging rules")
  .annotate(OpenApi.Description, ownOrAdmin)

const updateRules = HttpApiEndpoint.patch("update_paging_rules")`/oncall/members/${userId}/rules`
  .setPayload(PagingRulesInput)
  .addSuccess(PagingRules)
  .addError(Schema.Union(wire.forbidden, wire.notFound, wire.validationFailed))
  .middleware(WriteAccess)
  .annotate(LeastRole, "viewer")
  .annotate(OpenApi.Summary, "Change a person's paging rules")
  .annotate(OpenApi.Description, `Pages that are planned already stay as they are. ${ownOrAdmin}`)

const listPagings = HttpApiEndpoint.get("list_incident_pagings")`/incidents/${incidentId}/pagings`
  .addSuccess(IncidentPagings)
  .addError(wire.notFound)
  .middleware(ReadAccess)
  .annotate(OpenApi.Summary, "List who was paged by what, and who is next")
  .annotate(
    OpenApi.Description,
    "Pages that are planned, and then the next level, are still to come, unless somebody acknowledges."
  )

export class Paging extends HttpApiGroup.make("Paging")
  .annotate(OpenApi.Description, "How people are reached: contact ways, personal rules, and the log of pages.")
  .add(listWays)
  .add(createWay)
  .add(verifyWay)
  .add(testWay)
  .add(deleteWay)
  .add(getRules)
  .add(updateRules)
  .add(listPagings)
{}

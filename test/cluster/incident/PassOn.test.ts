/** Escalating and handing over by hand on a runner: who is paged, who no longer is, and what follows a person who is not reached. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { type IncidentId, SessionId, UserId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { PushKeys } from "../../../src/notify/way/PushKeys.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { PassOnIncident } from "../../../src/operations/incident/PassOnIncident.ts"
import { ReadIncidents } from "../../../src/operations/incident/ReadIncidents.ts"
import { UpdateIncident } from "../../../src/operations/incident/UpdateIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageContactWays } from "../../../src/operations/paging/ManageContactWays.ts"
import { ReadPagings } from "../../../src/operations/paging/ReadPagings.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { pushService } from "../../support/services/PushService.ts"
import { vapid } from "../../support/services/Vapid.ts"
import { until } from "../../support/time/Until.ts"
import { open, policy } from "./PersonPolicy.ts"

class Push extends Context.Tag("Push")<Push, Effect.Effect.Success<ReturnType<typeof pushService>>>() {}

const operations = Layer.mergeAll(
  OpenIncident.Default,
  AcknowledgeIncident.Default,
  PassOnIncident.Default,
  ReadIncidents.Default,
  UpdateIncident.Default,
  ManagePolicies.Default,
  ManageContactWays.Default,
  ReadPagings.Default
)

/** Devices whose name begins with `lost` take no page. */
const runner = Layer.provideMerge(operations, TestRunner).pipe(
  Layer.provideMerge(Layer.merge(
    Layer.scoped(Push, pushService((device) => (device.startsWith("lost") ? 413 : null))),
    Layer.succeed(PushKeys, vapid)
  ))
)

let people = 0

/** A member with a device, or without any way: the address is not confirmed. */
const newMember = (workspaceId: WorkspaceId, device: string | null) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const email = Schema.decodeSync(EmailAddress)(`passed-${++people}@example.com`)
    const id = UserId.make((yield* users.ensure(email, false, null)).id)
    yield* sql`
      insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
    const caller: Caller = {
      workspaceId,
      principal: { _tag: "User", userId: id, sessionId: SessionId.make("ses_test") },
      scopes: ["read", "write"],
      role: "member",
      operations: null
    }
    if (device !== null) {
      const { subscribe } = yield* Push
      const { create } = yield* ManageContactWays
      yield* create(caller, id, { kind: "push", label: device, ...subscribe(device) })
    }
    return { id, email, caller }
  })

const pagings = (workspaceId: WorkspaceId, id: IncidentId) => Effect.flatMap(ReadPagings, ({ get }) => get(workspaceId, id))

const states = (workspaceId: WorkspaceId, id: IncidentId) =>
  Effect.map(pagings(workspaceId, id), ({ data }) => data.map(({ label, level, state }) => `${label} ${level} ${state}`))

const settled = (workspaceId: WorkspaceId, id: IncidentId, expected: ReadonlyArray<string>) =>
  until(states(workspaceId, id), (found) => JSON.stringify(found) === JSON.stringify(expected), "30 seconds")

const lastEntry = (workspaceId: WorkspaceId, id: IncidentId) =>
  Effect.map(Effect.flatMap(ReadIncidents, ({ get }) => get(workspaceId, id)), ({ acknowledgement, updates }) => ({
    acknowledgement,
    entry: updates.at(-1)?.body
  }))

layer(runner, { excludeTestServices: true })((it) => {
  describe("an escalation by hand", () => {
    it.effect("pages the next level now, also after an acknowledgement, which it takes back", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, "ada")
        const ben = yield* newMember(workspaceId, "ben")
        yield* policy(workspaceId, ada, ben)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["ada 1 handed_over"])
        const { escalation } = yield* pagings(workspaceId, id)
        expect(escalation).toMatchObject({
          policy: { name: "Platform" },
          levels: 2,
          next: { level: 2, people: [{ id: ben.id }] }
        })
        const { acknowledge } = yield* AcknowledgeIncident
        yield* acknowledge(ada.caller, id)
        expect((yield* pagings(workspaceId, id)).escalation?.next).toMatchObject({ level: 2, at: null })
        const { escalate } = yield* PassOnIncident
        yield* escalate(ada.caller, id, { note: "The database" })
        yield* settled(workspaceId, id, ["ada 1 handed_over", "ben 2 handed_over"])
        expect(yield* lastEntry(workspaceId, id)).toEqual({
          acknowledgement: null,
          entry: `Escalated to level 2 of 2 by ${ada.email}: The database`
        })
        expect((yield* pagings(workspaceId, id)).escalation).toMatchObject({ next: null })
      }))

    it.effect("is refused without a policy, for maintenance and after the end", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, "ada")
        const { id } = yield* open(workspaceId)
        const { escalate } = yield* PassOnIncident
        const without = yield* Effect.flip(escalate(ada.caller, id, {}))
        expect(without).toMatchObject({ _tag: "conflict", message: expect.stringMatching(/^No escalation policy/) })
        const { resolve } = yield* UpdateIncident
        yield* resolve(workspaceId, id, {})
        expect(yield* Effect.flip(escalate(ada.caller, id, {}))).toMatchObject({ message: "The incident is already resolved" })
      }))
  })

  describe("a hand-over", () => {
    it.effect("pages the person now, ends what is planned for others, and takes the acknowledgement back", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, "ada")
        const ben = yield* newMember(workspaceId, "ben")
        const { id } = yield* open(workspaceId)
        const { acknowledge } = yield* AcknowledgeIncident
        yield* acknowledge(ada.caller, id)
        const { handOver } = yield* PassOnIncident
        yield* handOver(ada.caller, id, { userId: ben.id })
        yield* settled(workspaceId, id, ["ben 0 handed_over"])
        expect(yield* lastEntry(workspaceId, id)).toMatchObject({
          acknowledgement: null,
          entry: expect.stringMatching(/^Handed over to /)
        })
        const { seen } = yield* Push
        expect(seen.filter(({ data, device }) => device === "ben" && data.includes(id))).toHaveLength(1)
        yield* handOver(ben.caller, id, { userId: ada.id })
        yield* settled(workspaceId, id, ["ben 0 handed_over", "ada 0 handed_over"])
        expect((yield* pagings(workspaceId, id)).data.map(({ round }) => round)).toEqual([1, 2])
      }))

    it.effect("gives the person 5 minutes, and is followed by the next level immediately if nothing reaches them", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, "ada")
        const ben = yield* newMember(workspaceId, "second level")
        const cleo = yield* newMember(workspaceId, "third level")
        const lost = yield* newMember(workspaceId, "lost phone")
        yield* policy(workspaceId, ada, ben, cleo)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["ada 1 handed_over"])
        const { handOver } = yield* PassOnIncident
        yield* handOver(ada.caller, id, { userId: lost.id })
        yield* settled(workspaceId, id, ["ada 1 handed_over", "lost phone 0 failed", "second level 2 handed_over"])
        // Once: the level after it waits for its time.
        expect((yield* pagings(workspaceId, id)).escalation?.next).toMatchObject({ level: 3 })
      }))

    it.effect("pages the person also after the policy of the incident was deleted, whose own pages end", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const sql = yield* SqlClient.SqlClient
        const ada = yield* newMember(workspaceId, "ada")
        const ben = yield* newMember(workspaceId, "ben")
        const cleo = yield* newMember(workspaceId, "cleo")
        const made = yield* policy(workspaceId, ada, ben)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["ada 1 handed_over"])
        yield* sql`
          insert into pagings (id, workspace_id, incident_id, user_id, level, round, step, urgency, kind, way_id, label, due_at, created_at)
          select 'pgn_' || right(id, 25) || '0', workspace_id, incident_id, ${ben.id}, level, round, step, urgency, kind, way_id, 'ben',
            now() + interval '1 hour', created_at
          from pagings where incident_id = ${id}`
        yield* Effect.flatMap(ManagePolicies, ({ remove }) => remove(workspaceId, made.id))
        yield* sql`update alarms set due_at = now() where id = ${id}`
        yield* sql`select pg_notify('belltower_alarms', '')`
        yield* settled(workspaceId, id, ["ada 1 handed_over", "ben 1 not_needed"])
        const { handOver } = yield* PassOnIncident
        yield* handOver(ada.caller, id, { userId: cleo.id })
        yield* settled(workspaceId, id, ["ada 1 handed_over", "cleo 0 handed_over", "ben 1 not_needed"])
        expect((yield* pagings(workspaceId, id)).escalation).toBe(null)
      }))

    it.effect("is refused for a person whom nothing reaches, and for somebody else's member", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const { id: elsewhere } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, "ada")
        const mute = yield* newMember(workspaceId, null)
        const other = yield* newMember(elsewhere, "other")
        const { id } = yield* open(workspaceId)
        const { acknowledge } = yield* AcknowledgeIncident
        yield* acknowledge(ada.caller, id)
        const { handOver } = yield* PassOnIncident
        expect(yield* Effect.flip(handOver(ada.caller, id, { userId: mute.id }))).toMatchObject({ _tag: "conflict" })
        expect(yield* Effect.flip(handOver(ada.caller, id, { userId: other.id }))).toMatchObject({ _tag: "not_found" })
        expect((yield* lastEntry(workspaceId, id)).acknowledgement).toMatchObject({ by: ada.email })
      }))
  })
})

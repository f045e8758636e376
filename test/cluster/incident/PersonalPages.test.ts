/** Pages to people on a runner: by their ways and rules, one after the other, until somebody acknowledges. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { type IncidentId, SessionId, UserId, WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { PagingRulesInput } from "../../../schema/oncall/Way.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { PushKeys } from "../../../src/notify/way/PushKeys.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageContactWays } from "../../../src/operations/paging/ManageContactWays.ts"
import { ManagePagingRules } from "../../../src/operations/paging/ManagePagingRules.ts"
import { ReadPagings } from "../../../src/operations/paging/ReadPagings.ts"
import { EventLog } from "../../../src/store/event/EventLog.ts"
import { Mails } from "../../../src/store/mail/Mails.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { pushService } from "../../support/services/PushService.ts"
import { vapid } from "../../support/services/Vapid.ts"
import { until } from "../../support/time/Until.ts"
import { open, policy } from "./PersonPolicy.ts"

class Push extends Context.Tag("Push")<Push, Effect.Effect.Success<ReturnType<typeof pushService>>>() {}

/** Devices whose name begins with `busy` are refused until they are freed. */
const busy = new Set<string>()

const push = Layer.scoped(Push, pushService((device) => (busy.has(device) ? 413 : null)))

const operations = Layer.mergeAll(
  OpenIncident.Default,
  AcknowledgeIncident.Default,
  ManagePolicies.Default,
  ManageContactWays.Default,
  ManagePagingRules.Default,
  ReadPagings.Default
)

let people = 0

const newMember = (workspaceId: WorkspaceId, isConfirmed = true) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const email = Schema.decodeSync(EmailAddress)(`paged-${++people}@example.com`)
    const { id } = yield* users.ensure(email, isConfirmed, null)
    yield* sql`
      insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
    const caller: Caller = {
      workspaceId,
      principal: { _tag: "User", userId: UserId.make(id), sessionId: SessionId.make("ses_test") },
      scopes: ["read", "write"],
      role: "member",
      operations: null
    }
    return { id: UserId.make(id), email, caller }
  })
type Member = Effect.Effect.Success<ReturnType<typeof newMember>>

/** The person adds a device while signed in. */
const addDevice = ({ caller, id }: Member, device: string) =>
  Effect.gen(function*() {
    const { subscribe } = yield* Push
    const { create } = yield* ManageContactWays
    return yield* create(caller, id, { kind: "push", label: device, ...subscribe(device) })
  })

const setRules = ({ caller, id }: Member, rules: PagingRulesInput) =>
  Effect.flatMap(ManagePagingRules, ({ update }) => update(caller, id, rules))

const log = (workspaceId: WorkspaceId, id: IncidentId) =>
  Effect.flatMap(ReadPagings, ({ ofIncident }) => ofIncident(workspaceId, id))

/** By way and state, in the order of their times. */
const states = (workspaceId: WorkspaceId, id: IncidentId) =>
  Effect.map(log(workspaceId, id), (found) => found.map(({ label, state }) => `${label} ${state}`))

const settled = (workspaceId: WorkspaceId, id: IncidentId, expected: ReadonlyArray<string>) =>
  until(states(workspaceId, id), (found) => JSON.stringify(found) === JSON.stringify(expected), "30 seconds")

/** Everything about an incident moves into the past while no process runs. */
const sleptThrough = (id: IncidentId, minutes: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ago = `${minutes} minutes`
    yield* sql.withTransaction(Effect.all([
      sql`update incident_alerting set next_at = next_at - ${ago}::interval where incident_id = ${id}`,
      sql`update pagings set due_at = due_at - ${ago}::interval where incident_id = ${id}`,
      sql`update alarms set due_at = due_at - ${ago}::interval where kind = 'incident' and id = ${id}`
    ]))
    yield* sql`select pg_notify('belltower_alarms', '')`
  })

const Shown = Schema.parseJson(
  Schema.Struct({ kind: Schema.String, title: Schema.String, acknowledge: Schema.optional(Schema.String) })
)

/** What a device has shown. */
const shownOn = (device: string) =>
  Effect.map(
    Push,
    ({ seen }) => seen.filter((one) => one.device === device).map(({ data }) => Schema.decodeUnknownSync(Shown)(data))
  )

const runner = Layer.provideMerge(operations, TestRunner).pipe(
  Layer.provideMerge(Layer.merge(push, Layer.succeed(PushKeys, vapid)))
)

layer(runner, { excludeTestServices: true })((it) => {
  describe("a page to a person", () => {
    it.effect("goes to the device and the mail immediately, with a link that acknowledges in the person's name", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const way = yield* addDevice(ada, "ada's phone")
        expect(way).toMatchObject({ kind: "push", label: "ada's phone", shown: "127.0.0.1", usable: true, problem: null })
        yield* policy(workspaceId, ada)
        const { id } = yield* open(workspaceId)
        yield* until(states(workspaceId, id), (found) => found.includes("ada's phone handed_over"), "30 seconds")
        const [shown] = yield* shownOn("ada's phone")
        expect(shown).toMatchObject({ kind: "page", title: "Slow checkout" })
        const token = shown?.acknowledge?.split("/").at(-1) ?? ""
        const { acknowledgeByLink } = yield* AcknowledgeIncident
        const { acknowledgement } = yield* acknowledgeByLink(token)
        expect(acknowledgement).toMatchObject({ by: ada.email, via: "link" })
        const events = yield* EventLog
        const paged = yield* events.after(workspaceId, "", ["incident.paged"], 10)
        expect(paged.map(({ data }) => data)).toMatchObject([{
          user: { id: ada.id },
          paging: { wayId: way.id, by: "push", step: 1 },
          urgency: "high",
          level: 1,
          round: 1
        }])
      }))

    it.effect("follows the person's rules, step by step, and no step follows an acknowledgement", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const first = yield* addDevice(ada, "first")
        const second = yield* addDevice(ada, "second")
        const [firstId, secondId] = [WayId.make(first.id ?? ""), WayId.make(second.id ?? "")]
        yield* setRules(ada, {
          high: [
            { by: "push", wayId: firstId, afterMinutes: 0 },
            { by: "push", wayId: secondId, afterMinutes: 5 },
            { by: "push", wayId: firstId, afterMinutes: 10 }
          ]
        })
        yield* policy(workspaceId, ada)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["first handed_over", "second planned", "first planned"])
        yield* sleptThrough(id, 6)
        yield* settled(workspaceId, id, ["first handed_over", "second handed_over", "first planned"])
        const { acknowledge } = yield* AcknowledgeIncident
        yield* acknowledge({ ...ada.caller }, id)
        yield* sleptThrough(id, 6)
        const sql = yield* SqlClient.SqlClient
        yield* until(sql`select from alarms where kind = 'incident' and id = ${id}`, (rows) => rows.length === 0)
        expect([(yield* shownOn("first")).length, (yield* shownOn("second")).length]).toEqual([1, 1])
        expect(yield* states(workspaceId, id)).toEqual(["first handed_over", "second handed_over", "first planned"])
      }))

    it.effect("that fails brings the next step forward, and a device that is gone is used no more", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const gone = yield* addDevice(ada, "gone")
        const other = yield* addDevice(ada, "other")
        const { end } = yield* Push
        end("gone")
        yield* setRules(ada, {
          high: [
            { by: "push", wayId: WayId.make(gone.id ?? ""), afterMinutes: 0 },
            { by: "push", wayId: WayId.make(other.id ?? ""), afterMinutes: 20 }
          ]
        })
        yield* policy(workspaceId, ada)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["gone failed", "other handed_over"])
        const [failed] = yield* log(workspaceId, id)
        expect(failed?.error).toMatch(/404.*add the device again/)
        const { list } = yield* ManageContactWays
        expect((yield* list(ada.caller, ada.id)).data.filter(({ label }) => label === "gone")).toMatchObject([
          { usable: false, problem: failed?.error }
        ])
        // The person learns it before the next night.
        const mails = yield* Mails
        const subjects = (yield* mails.captured(ada.id)).map(({ subject }) => subject)
        expect(subjects.filter((subject) => subject.includes("no longer reach"))).toEqual(["Pages no longer reach gone"])
      }))

    it.effect("that fails brings the next step forward half a minute later if its process dies before it notes that", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const gone = yield* addDevice(ada, "lost")
        const other = yield* addDevice(ada, "found")
        const { end } = yield* Push
        end("lost")
        yield* setRules(ada, {
          high: [
            { by: "push", wayId: WayId.make(gone.id ?? ""), afterMinutes: 0 },
            { by: "push", wayId: WayId.make(other.id ?? ""), afterMinutes: 20 }
          ]
        })
        yield* policy(workspaceId, ada)
        // Its delivery has ended by then; nothing is written of the page.
        yield* sql`create function die() returns trigger language plpgsql as 'begin raise exception ''The process is gone''; end'`
        yield* sql.unsafe(`create trigger die before update on pagings for each row
          when (new.state = 'failed' and new.way_id = '${gone.id}') execute function die()`)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["lost failed", "found planned"])
        yield* sleptThrough(id, 1)
        yield* settled(workspaceId, id, ["lost failed", "found handed_over"])
        yield* sql`drop trigger die on pagings`
      }))

    it.effect("of which every way fails is followed by the next level immediately", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, false)
        const ben = yield* newMember(workspaceId, false)
        yield* addDevice(ada, "busy one")
        yield* addDevice(ben, "ben's")
        busy.add("busy one")
        yield* policy(workspaceId, ada, ben)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["busy one failed", "ben's handed_over"])
        const levels = (yield* log(workspaceId, id)).map(({ level }) => level)
        expect(levels).toEqual([1, 2])
      }))

    it.effect("reaches nobody without a verified way, and the next level is paged immediately", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId, false)
        const ben = yield* newMember(workspaceId, false)
        yield* addDevice(ben, "second level")
        yield* policy(workspaceId, ada, ben)
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["second level handed_over"])
        const events = yield* EventLog
        const [first] = yield* events.after(workspaceId, "", ["incident.escalated"], 10)
        expect(first?.data).toMatchObject({ level: 1, notified: { users: [], unreached: [{ id: ada.id }] } })
      }))
  })
})

/** Contact ways of people: who may change them, how they are proved, and that a drill of a person tries each. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { ApiKeyId, SessionId, UserId, WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import { PushKeys } from "../../../src/notify/way/PushKeys.ts"
import { RunDrills } from "../../../src/operations/drill/RunDrills.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageContactWays } from "../../../src/operations/paging/ManageContactWays.ts"
import { ManagePagingRules } from "../../../src/operations/paging/ManagePagingRules.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { newWorkspace, TestRunner } from "../../support/program/TestRunner.ts"
import { pushService } from "../../support/services/PushService.ts"
import { vapid } from "../../support/services/Vapid.ts"

class Push extends Context.Tag("Push")<Push, Effect.Effect.Success<ReturnType<typeof pushService>>>() {}

const operations = Layer.mergeAll(ManageContactWays.Default, ManagePagingRules.Default, ManagePolicies.Default, RunDrills.Default)

const services = Layer.provideMerge(operations, TestRunner).pipe(
  Layer.provideMerge(Layer.merge(Layer.scoped(Push, pushService()), Layer.succeed(PushKeys, vapid)))
)

let people = 0

const callerOf = (workspaceId: WorkspaceId, role: Role, userId: UserId | null): Caller => ({
  workspaceId,
  principal: userId === null
    ? { _tag: "Key", keyId: ApiKeyId.make("key_test") }
    : { _tag: "User", userId, sessionId: SessionId.make("ses_test") },
  scopes: ["read", "write"],
  role,
  operations: null
})

const newMember = (workspaceId: WorkspaceId, isConfirmed = false) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const email = Schema.decodeSync(EmailAddress)(`way-${++people}@example.com`)
    const id = UserId.make((yield* users.ensure(email, isConfirmed, null)).id)
    yield* sql`
      insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
    return { id, email, caller: callerOf(workspaceId, "member", id) }
  })

const device = (name: string) => Effect.map(Push, ({ subscribe }) => ({ kind: "push" as const, label: name, ...subscribe(name) }))

const Code = Schema.parseJson(Schema.Struct({ title: Schema.String }))

/** The code that a device showed last. */
const codeOn = (name: string) =>
  Effect.map(Push, ({ seen }) => {
    const last = seen.findLast((one) => one.device === name)?.data ?? "null"
    return /\d{6}/.exec(Schema.decodeUnknownSync(Code)(last).title)?.[0] ?? ""
  })

layer(services, { excludeTestServices: true })((it) => {
  describe("a contact way", () => {
    it.effect("of a device that its person adds while signed in is proved; one that an admin's key adds needs the code", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const ways = yield* ManageContactWays
        const own = yield* ways.create(ada.caller, ada.id, yield* device("own"))
        expect(own).toMatchObject({ usable: true, problem: null })

        const key = callerOf(workspaceId, "admin", null)
        const added = yield* ways.create(key, ada.id, yield* device("added"))
        expect(added).toMatchObject({ usable: false, verifiedAt: null })
        const id = WayId.make(added.id ?? "")
        const code = yield* codeOn("added")
        const wrong = code === "000000" ? "000001" : "000000"
        expect(yield* Effect.flip(ways.verify(key, ada.id, id, { code: wrong }))).toMatchObject({ _tag: "validation_failed" })
        expect(yield* Effect.flip(ways.test(key, ada.id, id))).toMatchObject({ _tag: "conflict" })
        expect(yield* ways.verify(key, ada.id, id, { code })).toMatchObject({ usable: true })
        expect(yield* Effect.flip(ways.verify(key, ada.id, id, { code }))).toMatchObject({ _tag: "validation_failed" })
        expect(yield* ways.test(key, ada.id, id)).toMatchObject({ delivered: true, error: null })
      }))

    it.effect("is nobody else's to change, and nothing of another workspace", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const { id: elsewhere } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const ben = yield* newMember(workspaceId)
        const ways = yield* ManageContactWays
        const rules = yield* ManagePagingRules
        const own = yield* ways.create(ada.caller, ada.id, yield* device("hers"))
        const id = WayId.make(own.id ?? "")
        const foreign = callerOf(elsewhere, "owner", null)
        for (const [caller, failure] of [[ben.caller, "forbidden"], [foreign, "not_found"]] as const) {
          expect(yield* Effect.flip(ways.list(caller, ada.id))).toMatchObject({ _tag: failure })
          expect(yield* Effect.flip(rules.get(caller, ada.id))).toMatchObject({ _tag: failure })
          expect(yield* Effect.flip(ways.create(caller, ada.id, yield* device("theirs")))).toMatchObject({ _tag: failure })
          expect(yield* Effect.flip(ways.remove(caller, ada.id, id))).toMatchObject({ _tag: failure })
          expect(yield* Effect.flip(ways.test(caller, ada.id, id))).toMatchObject({ _tag: failure })
          expect(yield* Effect.flip(rules.update(caller, ada.id, { reset: true }))).toMatchObject({ _tag: failure })
        }
        // Ben's own ways are no door to hers.
        expect(yield* Effect.flip(ways.remove(ben.caller, ben.id, id))).toMatchObject({ _tag: "not_found" })
        expect((yield* ways.list(ada.caller, ada.id)).data.map(({ label }) => label)).toEqual(["Email", "hers"])
        // Addresses and keys are not readable in the database.
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<
          { readonly text: string }
        >`select row_to_json(w)::text as text from contact_ways w where id = ${id}`
        expect(row?.text).not.toContain("/hers")
      }))

    it.effect("with an address that is none, private or incomplete is refused with every reason", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const ways = yield* ManageContactWays
        const refused = yield* Effect.flip(
          ways.create(ada.caller, ada.id, { kind: "push", endpoint: "http://10.0.0.1/x", p256dh: "short", auth: "short" })
        )
        expect(refused).toMatchObject({ _tag: "validation_failed" })
        expect(JSON.stringify(refused)).toMatch(/endpoint.*auth.*p256dh/)
        expect(yield* Effect.flip(ways.create(ada.caller, ada.id, { kind: "push", phone: "+4930123456" }))).toMatchObject({
          _tag: "validation_failed"
        })
      }))

    it.effect("makes its person reachable: warnings of policies name only those without one", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const ben = yield* newMember(workspaceId)
        const ways = yield* ManageContactWays
        yield* ways.create(ada.caller, ada.id, yield* device("ada's"))
        const { create } = yield* ManagePolicies
        const { warnings } = yield* create(workspaceId, {
          name: "Platform",
          levels: [{ afterMinutes: 0, targets: [ada, ben].map(({ id }) => ({ type: "user" as const, id })) }]
        })
        expect(warnings).toEqual([`${ben.email} cannot be paged: the email address is not confirmed.`])
      }))
  })

  describe("a drill of a person", () => {
    it.effect("tries every way once, with a receipt for each, and pages nobody else", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const ben = yield* newMember(workspaceId, true)
        const ways = yield* ManageContactWays
        yield* ways.create(ada.caller, ada.id, yield* device("drilled"))
        const broken = yield* ways.create(ada.caller, ada.id, yield* device("broken"))
        const { end, seen } = yield* Push
        end("broken")
        const { create } = yield* ManagePolicies
        yield* create(workspaceId, { name: "All", levels: [{ afterMinutes: 0, targets: [{ type: "user", id: ben.id }] }] })
        const { start } = yield* RunDrills
        const drill = yield* start(workspaceId, { person: ada.id })
        expect(drill).toMatchObject({
          status: "failed",
          person: ada.id,
          paged: [],
          ways: [
            { by: "push", label: "drilled", state: "handed_over", error: null },
            { by: "push", label: "broken", state: "failed" }
          ]
        })
        expect(drill.error).toMatch(/^1 of 2 ways did not reach the person\. broken: .*404/)
        expect(seen.filter((one) => one.device === "drilled")).toHaveLength(1)
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`select recipient from mails where workspace_id = ${workspaceId}`).toEqual([])

        yield* ways.remove(ada.caller, ada.id, WayId.make(broken.id ?? ""))
        expect(yield* start(workspaceId, { person: ada.id })).toMatchObject({ status: "passed", error: null })
      }), 120_000)

    it.effect("fails with the reason if nothing reaches the person", () =>
      Effect.gen(function*() {
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const { start } = yield* RunDrills
        expect(yield* start(workspaceId, { person: ada.id })).toMatchObject({
          status: "failed",
          ways: [],
          error: "The person has no verified way to be reached. Add one, or confirm the email address"
        })
        expect(yield* Effect.flip(start(workspaceId, { person: UserId.make("usr_nobody") }))).toMatchObject({
          _tag: "validation_failed"
        })
      }), 120_000)
  })
})

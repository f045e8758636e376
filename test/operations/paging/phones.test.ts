/** Numbers of people: who proves them, how many codes they get, and the webhook that texts and calls beside Twilio. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { ApiKeyId, WayId } from "../../../schema/Ids.ts"
import { signedHeaders } from "../../../src/domain/alert/Signature.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageContactWays } from "../../../src/operations/paging/ManageContactWays.ts"
import { ManagePagingRules } from "../../../src/operations/paging/ManagePagingRules.ts"
import { ReadPagings } from "../../../src/operations/paging/ReadPagings.ts"
import { TakePhoneNews } from "../../../src/operations/paging/TakePhoneNews.ts"
import { Incidents } from "../../../src/store/incident/Incidents.ts"
import { receiver } from "../../notify/alert/Receiver.ts"
import { newWorkspace } from "../../support/program/TestRunner.ts"
import { addPhone, lastCode, newMember, newNumber, phoneRunner, Twilio } from "../../support/services/PhonePeople.ts"
import { until } from "../../support/time/Until.ts"

/** A person with a number for texts and calls. */
const proved = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const ada = yield* newMember(workspaceId)
  const number = newNumber()
  yield* addPhone(ada, "sms", number)
  yield* addPhone(ada, "voice", number)
  return { ada, number, workspaceId }
})

layer(phoneRunner(), { excludeTestServices: true })((it) => {
  describe("a number", () => {
    it.effect("is proved by its code in each workspace of its own", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ada, number } = yield* proved
        const { id: other } = yield* newWorkspace
        yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${other}, ${ada.id}, 'member', now())`
        const { create, list, test } = yield* ManageContactWays
        const there = { ...ada.caller, workspaceId: other }
        const added = yield* create(there, ada.id, { kind: "sms", phone: number })
        expect(added).toMatchObject({ usable: false, verifiedAt: null })
        expect(yield* Effect.flip(test(there, ada.id, WayId.make(added.id ?? "")))).toMatchObject({ _tag: "conflict" })
        expect((yield* list(ada.caller, ada.id)).data.filter(({ usable }) => usable)).toHaveLength(2)
      }))

    it.effect("gets five codes an hour, however often it is added and from wherever", () =>
      Effect.gen(function*() {
        const { ordersTo } = yield* Twilio
        const { create, remove } = yield* ManageContactWays
        const number = newNumber()
        const attempt = Effect.gen(function*() {
          const { id: workspaceId } = yield* newWorkspace
          const { caller, id } = yield* newMember(workspaceId)
          const { id: wayId } = yield* create(caller, id, { kind: "sms", phone: number })
          yield* remove(caller, id, WayId.make(wayId ?? ""))
        })
        yield* Effect.repeatN(attempt, 4)
        const refused = yield* Effect.flip(attempt)
        expect(refused.message).toMatch(/At most 5 codes an hour go to one number/)
        expect(ordersTo(number)).toHaveLength(5)
      }))

    it.effect("that costs extra is refused before anything is sent", () =>
      Effect.gen(function*() {
        const { orders } = yield* Twilio
        const { create } = yield* ManageContactWays
        const { id: workspaceId } = yield* newWorkspace
        const { caller, id } = yield* newMember(workspaceId)
        const before = orders.length
        expect(yield* Effect.flip(create(caller, id, { kind: "voice", phone: "+19005550100" }))).toMatchObject({
          _tag: "validation_failed",
          details: [{ path: "phone" }]
        })
        expect(orders).toHaveLength(before)
      }))

    it.effect("that an admin's key adds gets no code before the person asks for one", () =>
      Effect.gen(function*() {
        const { ordersTo } = yield* Twilio
        const { create, verify } = yield* ManageContactWays
        const { id: workspaceId } = yield* newWorkspace
        const ada = yield* newMember(workspaceId)
        const number = newNumber()
        const key: Caller = { ...ada.caller, role: "admin", principal: { _tag: "Key", keyId: ApiKeyId.make("key_test") } }
        const added = yield* create(key, ada.id, { kind: "sms", phone: number })
        const id = WayId.make(added.id ?? "")
        expect(added).toMatchObject({ usable: false, verifiedAt: null })
        expect(yield* Effect.flip(verify(key, ada.id, id, {}))).toMatchObject({ _tag: "forbidden" })
        expect(ordersTo(number)).toEqual([])
        yield* verify(ada.caller, ada.id, id, {})
        expect(yield* verify(ada.caller, ada.id, id, { code: yield* lastCode(number) })).toMatchObject({ usable: true })
      }))
  })
})

class Hook extends Context.Tag("test/Hook")<Hook, Effect.Effect.Success<ReturnType<typeof receiver>>>() {}

const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`

const withWebhook = Layer.unwrapScoped(
  Effect.map(
    receiver((response) => void response.writeHead(200).end("{}")),
    (hook) => phoneRunner({ webhook: { url: hook.url, secret } }).pipe(Layer.provideMerge(Layer.succeed(Hook, hook)))
  )
)

layer(withWebhook, { excludeTestServices: true })("the phone webhook beside Twilio", (it) => {
  it.effect("gets what Twilio refuses, and reports what became of it, signed", () =>
    Effect.gen(function*() {
      const hook = yield* Hook
      const twilio = yield* Twilio
      const news = yield* TakePhoneNews
      const incidents = yield* Incidents
      const { ada, number, workspaceId } = yield* proved
      const { update } = yield* ManagePagingRules
      yield* update(ada.caller, ada.id, { high: [{ by: "sms", afterMinutes: 0 }] })
      const { create } = yield* ManagePolicies
      yield* create(workspaceId, { name: "Platform", levels: [{ afterMinutes: 60, targets: [{ type: "user", id: ada.id }] }] })
      twilio.refuse(number, { status: 400, code: 21408, message: "Permission to send an SMS has not been enabled" })
      const opened = yield* Effect.flatMap(OpenIncident, (incident) =>
        incident.create(workspaceId, { title: "Slow checkout", message: "We look into it.", impact: "critical" }))
      const [asked] = yield* until(
        Effect.sync(() =>
          hook.seen
        ),
        (seen) => seen.length === 1,
        "10 seconds"
      )
      const page = JSON.parse(asked?.body ?? "{}")
      expect(page).toMatchObject({ type: "sms", to: number, newsUrl: "http://belltower.test/phone/news" })
      const { ofIncident } = yield* ReadPagings
      const state = Effect.map(ofIncident(workspaceId, opened.id), (found) => found.map((one) => one.state))
      yield* until(state, ([one]) => one === "handed_over", "10 seconds")

      const now = yield* Clock.currentTimeMillis
      const report = (body: object, key = secret, at = now) => {
        const text = JSON.stringify(body)
        const headers = signedHeaders([{ secret: key, until: null }], { id: "their-1", body: text }, at)
        return news.webhookNews(text, {
          id: headers["webhook-id"],
          timestamp: headers["webhook-timestamp"],
          signatures: headers["webhook-signature"]
        })
      }
      const failed = { id: page.id, state: "failed", error: "No such subscriber" }
      const other = `whsec_${Buffer.alloc(24, 8).toString("base64")}`
      for (const refused of [report(failed, other), report(failed, secret, now - 301_000)]) {
        expect(yield* Effect.flip(refused)).toMatchObject({ _tag: "forbidden" })
      }
      for (const strange of [{ ...failed, id: "pgn_00000000000000000000000000" }, { ...failed, state: "lost" }, {}]) {
        expect(yield* Effect.flip(report(strange))).toMatchObject({ _tag: "not_found", message: "No such page" })
      }
      yield* report({ id: page.id, state: "received" })
      yield* report(failed)
      expect(yield* state).toEqual(["received"])
      yield* report({ id: page.id, state: "acknowledged" })
      const found = yield* Effect.flatten(incidents.find(workspaceId, opened.id, (id) => id))
      expect(found.acknowledgement).toMatchObject({ by: ada.email })
    }))
})

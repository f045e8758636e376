/** Pages by text and call on a runner, through a local Twilio: what is known of them, the key, and what is not believed. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { IncidentId, WorkspaceId } from "../../../schema/Ids.ts"
import type { PagingRulesInput } from "../../../schema/oncall/Way.ts"
import { smsSize } from "../../../src/domain/paging/SmsText.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageContactWays } from "../../../src/operations/paging/ManageContactWays.ts"
import { ManagePagingRules } from "../../../src/operations/paging/ManagePagingRules.ts"
import { ReadPagings } from "../../../src/operations/paging/ReadPagings.ts"
import { TakePhoneNews } from "../../../src/operations/paging/TakePhoneNews.ts"
import { newWorkspace } from "../../support/program/TestRunner.ts"
import { signedByTwilio, spokenIn, type TwilioCallback } from "../../support/services/LocalTwilio.ts"
import { addPhone, newMember, newNumber, type PhonePerson, phoneRunner, Twilio } from "../../support/services/PhonePeople.ts"
import { until } from "../../support/time/Until.ts"

const setRules = ({ caller, id }: PhonePerson, high: NonNullable<PagingRulesInput["high"]>) =>
  Effect.flatMap(ManagePagingRules, ({ update }) => update(caller, id, { high }))

const policy = (workspaceId: WorkspaceId, person: PhonePerson) =>
  Effect.flatMap(
    ManagePolicies,
    ({ create }) =>
      create(workspaceId, { name: "Platform", levels: [{ afterMinutes: 60, targets: [{ type: "user", id: person.id }] }] })
  )

const open = (workspaceId: WorkspaceId, title = "Slow checkout") =>
  Effect.flatMap(OpenIncident, ({ create }) => create(workspaceId, { title, message: "We look into it.", impact: "critical" }))

const log = (workspaceId: WorkspaceId, id: IncidentId) =>
  Effect.flatMap(ReadPagings, ({ ofIncident }) => ofIncident(workspaceId, id))

const states = (workspaceId: WorkspaceId, id: IncidentId) =>
  Effect.map(log(workspaceId, id), (found) => found.map(({ by, state }) => `${by} ${state}`))

const settled = (workspaceId: WorkspaceId, id: IncidentId, expected: ReadonlyArray<string>) =>
  until(states(workspaceId, id), (found) => JSON.stringify(found) === JSON.stringify(expected), "10 seconds")

const partsOf = ({ form, signature, url }: TwilioCallback) => ({ pagingId: url.split("/")[5] ?? "", form, signature })

const tell = (callback: TwilioCallback) => Effect.flatMap(TakePhoneNews, ({ twilioNews }) => twilioNews(partsOf(callback)))
const press = (callback: TwilioCallback) => Effect.flatMap(TakePhoneNews, ({ twilioKey }) => twilioKey(partsOf(callback)))

/** A person with a number for texts and calls, whom the workspace pages: a text first, a call 20 minutes later. */
const paged = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const ada = yield* newMember(workspaceId)
  const number = newNumber()
  yield* addPhone(ada, "sms", number)
  yield* addPhone(ada, "voice", number)
  yield* setRules(ada, [{ by: "sms", afterMinutes: 0 }, { by: "voice", afterMinutes: 20 }])
  yield* policy(workspaceId, ada)
  const twilio = yield* Twilio
  /** The pages that went out, without codes. */
  const pages = Effect.sync(() => twilio.ordersTo(number).slice(2))
  const nth = (index: number) =>
    Effect.flatMap(
      until(pages, (found) => found.length > index, "10 seconds"),
      (found) => Effect.orDie(Effect.fromNullable(found[index]))
    )
  return { workspaceId, ada, number, twilio, pages, nth }
})

layer(phoneRunner(), { excludeTestServices: true })((it) => {
  describe("a page by phone", () => {
    it.effect("is one text with a link that acknowledges, and arrived once the phone has confirmed it", () =>
      Effect.gen(function*() {
        const { ada, nth, twilio, workspaceId } = yield* paged
        const { id } = yield* open(workspaceId)
        const text = yield* nth(0)
        expect(text).toMatchObject({ by: "sms" })
        expect(smsSize(text.content)).toMatchObject({ alphabet: "GSM-7", messages: 1 })
        const form = /^Slow checkout\. Since \d\d:\d\d UTC\. Acknowledge: http:\/\/belltower\.test\/ack\/(\S+)$/
        const [, token = ""] = form.exec(text.content) ?? []
        expect(token).toHaveLength(33)
        yield* settled(workspaceId, id, ["sms handed_over", "voice planned"])
        yield* tell(twilio.news(text, { MessageStatus: "sent" }))
        yield* settled(workspaceId, id, ["sms handed_over", "voice planned"])
        const delivered = twilio.news(text, { MessageStatus: "delivered" })
        yield* tell(delivered)
        yield* settled(workspaceId, id, ["sms received", "voice planned"])
        // Again, and out of order: nothing changes.
        const [before] = yield* log(workspaceId, id)
        yield* tell(delivered)
        yield* tell(twilio.news(text, { MessageStatus: "undelivered", ErrorCode: "30003" }))
        expect((yield* log(workspaceId, id))[0]).toEqual(before)
        const { acknowledgeByLink } = yield* AcknowledgeIncident
        expect((yield* acknowledgeByLink(token)).acknowledgement).toMatchObject({ by: ada.email, via: "link" })
        expect(yield* Effect.flip(acknowledgeByLink(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`)))
          .toMatchObject({ _tag: "not_found" })
      }))

    it.effect("that does not arrive is followed by the call immediately, whose key 1 acknowledges in the person's name", () =>
      Effect.gen(function*() {
        const { ada, nth, twilio, workspaceId } = yield* paged
        const { id } = yield* open(workspaceId)
        yield* settled(workspaceId, id, ["sms handed_over", "voice planned"])
        yield* tell(twilio.news(yield* nth(0), { MessageStatus: "undelivered", ErrorCode: "30003" }))
        const call = yield* nth(1)
        expect(call.by).toBe("voice")
        const [first, second] = spokenIn(call.content)
        expect(first).toMatch(/^Alert from Belltower\. Slow checkout\. Since \d\d:\d\d UTC\. Press 1/)
        expect(second).toBe(first)
        yield* settled(workspaceId, id, ["sms failed", "voice handed_over"])
        expect((yield* log(workspaceId, id))[0]?.error).toBe("The text was not delivered: the phone is off or out of reach")
        // Another key hears it again.
        const again = yield* press(twilio.press(call, "5"))
        expect(spokenIn(again)[0]).toBe(first)
        const { look } = yield* AcknowledgeIncident
        const token = /ack\/(\S+)$/.exec((yield* nth(0)).content)?.[1] ?? ""
        expect((yield* look(token)).incident.acknowledgement).toBeNull()
        expect(spokenIn(yield* press(twilio.press(call, "1")))).toEqual(["Acknowledged. Goodbye."])
        expect((yield* look(token)).incident.acknowledgement).toMatchObject({ by: ada.email })
        yield* settled(workspaceId, id, ["sms failed", "voice received"])
        // The same request again changes nothing.
        expect(spokenIn(yield* press(twilio.press(call, "1")))).toEqual(["Acknowledged. Goodbye."])
        // Nothing is left to hear again.
        const [standing] = spokenIn(yield* press(twilio.press(call, "5")))
        expect(standing).toMatch(/^Acknowledged by .+ UTC\. Goodbye\.$/)
      }))

    it.effect("that an answering machine takes reached nobody, and acknowledges nothing", () =>
      Effect.gen(function*() {
        const { ada, nth, number, twilio, workspaceId } = yield* paged
        yield* setRules(ada, [{ by: "voice", afterMinutes: 0 }, { by: "sms", afterMinutes: 30 }])
        const { id } = yield* open(workspaceId)
        const call = yield* nth(0)
        yield* settled(workspaceId, id, ["voice handed_over", "sms planned"])
        yield* tell(twilio.news(call, { CallStatus: "in-progress" }))
        yield* tell(twilio.news(call, { AnsweredBy: "machine_start" }))
        yield* settled(workspaceId, id, ["voice failed", "sms handed_over"])
        yield* tell(twilio.news(call, { CallStatus: "completed" }))
        const [failed] = yield* log(workspaceId, id)
        expect(failed).toMatchObject({ state: "failed", error: "An answering machine took the call", receivedAt: null })
        expect(twilio.ordersTo(number).at(-1)?.by).toBe("sms")
        // It was a person after all.
        expect(spokenIn(yield* press(twilio.press(call, "1")))).toEqual(["Acknowledged. Goodbye."])
        const [answered] = yield* log(workspaceId, id)
        expect(answered).toMatchObject({ state: "received", error: null })
      }))

    it.effect("to a busy line, or one that nobody answers, brings the next step forward", () =>
      Effect.gen(function*() {
        for (const [status, error] of [["busy", "The line was busy"], ["no-answer", "Nobody answered the call"]] as const) {
          const { ada, nth, twilio, workspaceId } = yield* paged
          yield* setRules(ada, [{ by: "voice", afterMinutes: 0 }, { by: "sms", afterMinutes: 30 }])
          const { id } = yield* open(workspaceId)
          yield* settled(workspaceId, id, ["voice handed_over", "sms planned"])
          yield* tell(twilio.news(yield* nth(0), { CallStatus: status }))
          yield* settled(workspaceId, id, ["voice failed", "sms handed_over"])
          expect((yield* log(workspaceId, id))[0]?.error).toBe(error)
        }
      }))

    it.effect("to a number that takes no texts says why without the number, and the way is used no more", () =>
      Effect.gen(function*() {
        const { ada, number, twilio, workspaceId } = yield* paged
        twilio.refuse(number, { status: 400, code: 21614, message: `'To' number ${number} is not a mobile number` })
        const { id } = yield* open(workspaceId)
        yield* until(log(workspaceId, id), ([first]) => first?.state === "failed", "10 seconds")
        const [failed] = yield* log(workspaceId, id)
        expect(failed?.error).toMatch(/The number cannot receive texts/)
        expect(failed?.error).not.toContain(number.slice(1))
        const { list } = yield* ManageContactWays
        const texts = Effect.map(list(ada.caller, ada.id), ({ data }) => data.find(({ kind }) => kind === "sms"))
        // The way is ended after the page.
        yield* until(texts, (way) => way?.usable === false, "10 seconds")
        expect((yield* texts)?.shown).toBe(`+49 ••• ${number.slice(-3)}`)
      }))
  })

  describe("a report about a page", () => {
    it.effect("is believed from Twilio only, and says nothing about pages that are none of its own", () =>
      Effect.gen(function*() {
        const { nth, twilio, workspaceId } = yield* paged
        const { id } = yield* open(workspaceId)
        const text = yield* nth(0)
        const at = text.form.get("StatusCallback") ?? ""
        const fields = { MessageStatus: "undelivered" }
        const refused = (callback: TwilioCallback) =>
          Effect.map(Effect.flip(tell(callback)), ({ _tag, message }) => [_tag, message])
        const forged = [
          { ...signedByTwilio(at, fields), signature: "" },
          signedByTwilio(at, fields, "another token"),
          { ...signedByTwilio(at, fields), form: "MessageStatus=delivered" },
          { ...signedByTwilio(`${at}0`, fields), url: at }
        ]
        for (const one of forged) expect(yield* refused(one)).toEqual(["forbidden", "The signature is not valid"])
        yield* settled(workspaceId, id, ["sms handed_over", "voice planned"])
        const planned = (yield* log(workspaceId, id))[1]?.id ?? ""
        const strange = [planned, "pgn_00000000000000000000000000", "pgn_1", "\u0000", "inc_1"]
        for (const one of strange) {
          expect(yield* refused(signedByTwilio(`http://belltower.test/phone/twilio/${one}`, fields))).toEqual([
            "not_found",
            "No such page"
          ])
        }
        // A signature of one address is none of another.
        const keys = { ...twilio.news(text, { Digits: "1" }), url: `${at}/keys` }
        expect(yield* Effect.flip(press(keys))).toMatchObject({ _tag: "forbidden" })
      }))
  })
})

layer(phoneRunner({ limits: { personAnHour: 3 } }), { excludeTestServices: true })(
  "more pages by phone than an hour may have",
  (it) => {
    it.effect("go by the next way immediately, and the workspace gets one mail", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { ordersTo } = yield* Twilio
        const { id: workspaceId } = yield* newWorkspace
        const owner = yield* newMember(workspaceId, { isConfirmed: true, role: "owner" })
        yield* sql`update users set email_proved_at = now() where id = ${owner.id}`
        const ada = yield* newMember(workspaceId)
        const number = newNumber()
        yield* addPhone(ada, "sms", number)
        yield* addPhone(ada, "voice", number)
        yield* setRules(ada, [{ by: "sms", afterMinutes: 0 }, { by: "voice", afterMinutes: 0 }, { by: "sms", afterMinutes: 45 }])
        yield* policy(workspaceId, ada)
        const { id } = yield* open(workspaceId)
        // Two codes and one page are three. The step of 45 minutes later follows the refusal immediately, and is refused, too.
        yield* until(
          states(workspaceId, id),
          (found) =>
            found.toSorted().join() === "sms failed,sms handed_over,voice failed" ||
            found.toSorted().join() === "sms failed,sms failed,voice handed_over",
          "10 seconds"
        )
        expect(ordersTo(number)).toHaveLength(3)
        const reasons = (yield* log(workspaceId, id)).map(({ error }) => error).filter((error) => error !== null)
        expect(new Set(reasons)).toEqual(new Set(["The limit of 3 texts and calls an hour to one person is reached"]))
        yield* open(workspaceId, "Another one")
        const mails = sql<{ readonly recipient: string }>`
        select recipient from mails where workspace_id = ${workspaceId} and subject = 'Pages by phone have reached their limit'`
        yield* until(
          sql`select from pagings where workspace_id = ${workspaceId} and incident_id <> ${id} and state = 'failed'`,
          (rows) => rows.length >= 2,
          "10 seconds"
        )
        expect((yield* mails).map(({ recipient }) => recipient)).toEqual([owner.email])
      }))
  }
)

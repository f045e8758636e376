/** Pages by text over the whole program: its provider's reports, and a process killed with -9 while the provider has the text. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { signedIn } from "../support/database/SignedIn.ts"
import { testBaseUrl } from "../support/program/TestServer.ts"
import { localTwilio, signedByTwilio, twilioAccount, type TwilioCallback } from "../support/services/LocalTwilio.ts"
import { until } from "../support/time/Until.ts"
import { clientOf, newAgent, request } from "./support/Client.ts"
import { makeKillStage } from "./support/KillStage.ts"

const number = "+4930123456"

const settingsOf = (url: string) => ({
  BELLTOWER_URL: testBaseUrl,
  BELLTOWER_TWILIO_ACCOUNT_SID: twilioAccount.sid,
  BELLTOWER_TWILIO_AUTH_TOKEN: twilioAccount.token,
  BELLTOWER_TWILIO_FROM: "+15005550006",
  BELLTOWER_TWILIO_URL: url
})

/** A callback reaches the program at its own address, as behind a proxy. */
const deliver = (baseUrl: string, { form, signature, url }: TwilioCallback) =>
  request(`${baseUrl}${new URL(url).pathname}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature },
    body: form
  })

describe("a text whose process is killed with -9 while the provider has it", () => {
  it.scopedLive(
    "goes out once, as the provider lists it to the process that takes over, or has reported it before",
    () =>
      Effect.gen(function*() {
        const twilio = yield* localTwilio
        const stage = yield* makeKillStage(settingsOf(twilio.url))
        const { sql } = stage
        let program = yield* stage.start
        const { apiKey } = yield* newAgent(program.baseUrl)
        const agent = () => clientOf(program.baseUrl, apiKey)
        const { body: { workspace } } = yield* agent().get("/agent/whoami")
        const ada = yield* Effect.provideService(signedIn(workspace.id, "member", "Ada"), SqlClient.SqlClient, sql)
        const asAda = (path: string, body: object, method = "POST") =>
          request(`${program.baseUrl}/api/v1/oncall/members/${ada.userId}${path}`, {
            method,
            headers: { ...ada.headers, "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        const added = yield* asAda("/ways", { kind: "sms", phone: number })
        expect(added.status).toBe(201)
        const code = /\d{6}/.exec(twilio.orders[0]?.content ?? "")?.[0]
        expect((yield* asAda(`/ways/${added.body.id}/verify`, { code })).body).toMatchObject({ usable: true })
        yield* asAda("/rules", { high: [{ by: "sms", afterMinutes: 0 }] }, "PATCH")
        yield* agent().post("/escalation-policies", {
          name: "Platform",
          levels: [{ afterMinutes: 60, targets: [{ type: "user", id: ada.userId }] }]
        })

        /** Everything that a dead process holds is free, as after its lease. */
        const takeOver = Effect.all([
          sql`update deliveries set due_at = now() where status = 'due'`,
          sql`
          update delivery_queues
          set held_until = case when held_until is null then null else now() end,
              first_at = case when first_at < 'infinity' then now() else first_at end,
              retry_at = case when retry_at < 'infinity' then now() else retry_at end`,
          sql`update delivery_turns set ready_at = now()`,
          sql`select pg_notify('belltower_deliveries', '')`
        ], { discard: true })
        const states = (id: string) =>
          Effect.map(
            agent().get(`/incidents/${id}/pagings`),
            ({ body }) => body.data.map(({ state }: { readonly state: string }) => state)
          )
        const over = until(sql`select from deliveries where status = 'due'`, (rows) => rows.length === 0, "30 seconds")
        /** The texts about an incident. */
        const texts = (title: string) => twilio.ordersTo(number).filter(({ content }) => content.startsWith(title))
        const killedWith = Effect.fn("killedWith")(function*(title: string) {
          twilio.hold(true)
          const opened = yield* agent().post("/incidents", { title, message: "We look into it.", impact: "critical" })
          const [text = yield* Effect.dieMessage("no text")] = yield* until(
            Effect.sync(() => texts(title)),
            (found) => found.length === 1,
            "30 seconds"
          )
          yield* program.signal("SIGKILL")
          yield* program.ended
          twilio.hold(false)
          program = yield* stage.start
          return { id: String(opened.body.id), text }
        })

        const first = yield* killedWith("Slow checkout")
        expect(yield* states(first.id)).toEqual(["sending"])
        yield* takeOver
        yield* over
        expect(yield* states(first.id)).toEqual(["handed_over"])
        expect(texts("Slow checkout")).toHaveLength(1)

        const second = yield* killedWith("Slow search")
        const sent = yield* deliver(program.baseUrl, twilio.news(second.text, { MessageStatus: "sent" }))
        expect([sent.status, sent.text]).toEqual([200, expect.stringContaining("<Response></Response>")])
        expect(yield* states(second.id)).toEqual(["handed_over"])
        yield* takeOver
        yield* over
        expect(texts("Slow search")).toHaveLength(1)

        const at = second.text.form.get("StatusCallback") ?? ""
        const forged = yield* deliver(program.baseUrl, signedByTwilio(at, { MessageStatus: "failed" }, "another token"))
        const nowhere = `${testBaseUrl}/phone/twilio/pgn_00000000000000000000000000`
        const strange = yield* deliver(program.baseUrl, signedByTwilio(nowhere, {}))
        expect([forged.status, strange.status, strange.body?.error?.message]).toEqual([403, 404, "No such page"])
        const pressed = yield* deliver(program.baseUrl, signedByTwilio(`${at}/keys`, { Digits: "1" }))
        expect(pressed.text).toContain("<Say>Acknowledged. Goodbye.</Say>")
        expect((yield* agent().get(`/incidents/${second.id}`)).body.acknowledgement).toMatchObject({ by: ada.email })
        yield* program.signal("SIGTERM")
        const { stderr, stdout } = yield* program.ended
        for (const hidden of [number, twilioAccount.token, code ?? ""]) expect(`${stdout}${stderr}`).not.toContain(hidden)
      }),
    120_000
  )
})

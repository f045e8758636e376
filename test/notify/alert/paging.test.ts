/** PagerDuty, Opsgenie and ntfy: alerts that open, are acknowledged and end. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { ServerResponse } from "node:http"
import { mask } from "../../../schema/Mask.ts"
import { ntfy } from "../../../src/notify/alert/channels/ntfy.ts"
import { opsgenie } from "../../../src/notify/alert/channels/opsgenie.ts"
import { pagerduty } from "../../../src/notify/alert/channels/pagerduty.ts"
import { acknowledged, analyzed, attempt, down, ping, unreached, up, written } from "./ChannelAttempt.ts"
import { alertApi, eventsApi } from "./PagingServices.ts"
import { type Received, receiver } from "./Receiver.ts"

describe("a PagerDuty channel", () => {
  it.scopedLive("opens an alert, acknowledges it and resolves it under one key", () =>
    Effect.gen(function*() {
      const api = eventsApi()
      const { url } = yield* receiver(api.respond)
      const send = (event = down) => attempt(pagerduty, { token: "R0UT1NG" }, event, { pagerduty: new URL(url).origin })
      for (const [event, state] of [[down, "triggered"], [acknowledged, "acknowledged"], [up, "resolved"]] as const) {
        expect((yield* send(event)).verdict).toMatchObject({ _tag: "Delivered", statusCode: 202 })
        expect([...api.alerts]).toEqual([["belltower incident inc_1", state]])
      }
      // A test pages nobody.
      expect((yield* send(ping)).verdict).toMatchObject({ _tag: "Delivered" })
      expect([api.alerts.size, api.changes]).toEqual([1, ["Test from Belltower"]])
    }))

  it.scopedLive("pages nobody with what people write about an outage, or after the end of an incident", () =>
    Effect.gen(function*() {
      const api = eventsApi()
      const { url } = yield* receiver(api.respond)
      for (const event of [written(true), written(false, DateTime.unsafeMake(0))]) {
        yield* attempt(pagerduty, { token: "R0UT1NG" }, event, { pagerduty: new URL(url).origin })
      }
      expect([api.alerts.size, api.changes]).toEqual([0, ["Shop is down", "Shop is down"]])
    }))

  it.scopedLive("names everybody whom a level did not reach", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(eventsApi().respond)
      const { body } = yield* attempt(pagerduty, { token: "R0UT1NG" }, unreached, { pagerduty: new URL(url).origin })
      const { payload } = JSON.parse(body)
      expect(payload.custom_details["Not paged"]).toBe(
        "ada@a.example: The email address is not confirmed; ben@a.example: The email address is not confirmed"
      )
    }))

  it.scopedLive("gives up on a wrong key, and stores the key sealed and not in the message", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(eventsApi().respond)
      const { body, stored, verdict } = yield* attempt(pagerduty, { token: "WRONG" }, down, { pagerduty: new URL(url).origin })
      expect(verdict).toMatchObject({ _tag: "Dead", error: expect.stringContaining("integration key") })
      expect(stored).toMatchObject({ shown: { token: mask }, sealed: { token: "WRONG" } })
      expect(body).not.toContain("WRONG")
    }))
})

describe("an Opsgenie channel", () => {
  it.scopedLive("keeps what people write about an outage as a note on its alert", () =>
    Effect.gen(function*() {
      const api = alertApi()
      const { url } = yield* receiver(api.respond)
      yield* attempt(opsgenie, { token: "k3y", url: `${new URL(url).origin}/` }, written(true))
      expect([api.open.size, api.notes]).toEqual([0, [["belltower incident inc_1", "Shop is down\n\nWe are looking"]]])
    }))

  it.scopedLive("keeps the report on a recovery as a note, since nothing would close an alert that it opened", () =>
    Effect.gen(function*() {
      const api = alertApi()
      const { url } = yield* receiver(api.respond)
      yield* attempt(opsgenie, { token: "k3y", url: `${new URL(url).origin}/` }, analyzed)
      expect([api.history, api.notes.map(([alias]) => alias)]).toEqual([[], ["belltower incident inc_1"]])
    }))

  it.scopedLive("opens an alert, acknowledges it and closes it by its alias, at the service that it names", () =>
    Effect.gen(function*() {
      const api = alertApi()
      const { url } = yield* receiver(api.respond)
      const send = (event: typeof down) => attempt(opsgenie, { token: "k3y", url: `${new URL(url).origin}/` }, event)
      expect((yield* send(down)).verdict).toMatchObject({ _tag: "Delivered" })
      expect([...api.open]).toEqual([["belltower incident inc_1", "open"]])
      yield* send(acknowledged)
      expect([...api.open]).toEqual([["belltower incident inc_1", "acknowledged"]])
      yield* send(up)
      expect(api.open.size).toBe(0)
    }))

  it.scopedLive("uses the deployment's address without one of its own, and gives up on a wrong key", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(alertApi().respond)
      const { stored, verdict } = yield* attempt(opsgenie, { token: "wrong" }, down, { opsgenie: new URL(url).origin })
      expect(verdict).toMatchObject({ _tag: "Dead", statusCode: 403 })
      expect(JSON.stringify(stored.shown)).not.toContain("wrong")
    }))
})

describe("an ntfy channel", () => {
  /** Publishing as JSON: one topic that only a token may write to. */
  const server = (response: ServerResponse, _: number, { body, headers, path }: Received): void => {
    const { message, priority, topic } = JSON.parse(body)
    const status = path !== "/" || !/^[\w-]{1,64}$/.test(topic) || Buffer.byteLength(message) > 4096 || priority > 5
      ? 400
      : topic === "private" && headers.authorization !== "Bearer tk_1"
      ? 403
      : 200
    response.writeHead(status).end("{}")
  }

  it.scopedLive("publishes with priority, tags and a link", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(server)
      const { verdict } = yield* attempt(ntfy, { topic: "alerts" }, down, { ntfy: new URL(url).origin })
      expect(verdict).toMatchObject({ _tag: "Delivered" })
      expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({
        topic: "alerts",
        priority: 5,
        tags: ["rotating_light"],
        click: "https://belltower.example/app/incidents/inc_1"
      })
    }))

  it.scopedLive("sends its access token to its own server, and gives up when the topic is closed to it", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(server)
      const own = new URL(url).origin
      expect((yield* attempt(ntfy, { topic: "private", url: own, token: "tk_1" })).verdict).toMatchObject({ _tag: "Delivered" })
      expect((yield* attempt(ntfy, { topic: "private", url: own, token: "tk_2" })).verdict).toMatchObject({ _tag: "Dead" })
      expect(yield* Effect.flip(attempt(ntfy, { topic: "a/b" }))).toMatchObject([{ path: "topic" }])
    }))
})

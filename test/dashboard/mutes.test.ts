/** Mutes in the dashboard: where they begin, where they show, and where they end. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newOwner } from "../support/browser/Visitor.ts"
import { TestProgram } from "../support/program/Program.ts"

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("a mute", (it) => {
  it.scoped("begins in the view of a monitor or for all, and shows there, in lists and beside maintenance until it is ended", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: shop } = yield* visitor.api("POST", "/monitors", { name: "Shop", url: "https://shop.test/", paused: true })
      const here = `/app/monitors/${shop.id}`
      expect((yield* visitor.get("/app/maintenance")).text).toContain("Nothing is muted")
      const made = yield* visitor.submit("/app/do/create_mute", {
        _form: `mute-${shop.id}`,
        _back: here,
        _then: here,
        "monitorIds:all": shop.id,
        "durationSec:number": "3600",
        reason: "Deploy of the shop"
      })
      expect([made.status, made.location]).toEqual([303, expect.stringContaining(here)])
      const { body } = yield* visitor.api("GET", "/mutes?active=true")
      expect(body.data).toMatchObject([{ monitorIds: [shop.id], durationSec: 3600 }])
      expect((yield* visitor.get(here)).text).toMatch(/Muted until.*Deploy of the shop/s)
      expect((yield* visitor.get("/app/monitors")).text).toContain(", muted")
      expect((yield* visitor.get("/app/maintenance")).text).toMatch(/1 monitor<.*Deploy of the shop/s)
      const end = { _form: "end", _back: "/app/maintenance", _then: "/app/maintenance", id: body.data[0].id }
      expect((yield* visitor.submit("/app/do/end_mute", end)).status).toBe(303)
      expect((yield* visitor.get(here)).text).not.toContain("Muted until")
      const all = yield* visitor.submit("/app/do/create_mute", {
        _form: "mute",
        _back: "/app/maintenance",
        _then: "/app/maintenance",
        "all:boolean": "true",
        "tags:list": "",
        "durationSec:number": "900",
        reason: ""
      })
      expect(all.status).toBe(303)
      expect((yield* visitor.get("/app/maintenance")).text).toContain("All monitors")
    }))

  it.scoped("that cannot be made says why, beside its form", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const refused = yield* visitor.submit("/app/do/create_mute", {
        _form: "mute",
        _back: "/app/maintenance",
        _then: "/app/maintenance",
        "all:boolean": "false",
        "tags:list": "",
        "durationSec:number": "900"
      })
      expect(refused.status).toBe(422)
      expect(refused.text).toContain("Say which monitors to mute")
    }))

  it.scoped("is shown by the window of maintenance that mutes, and by its warning if it mutes nothing", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: shop } = yield* visitor.api("POST", "/monitors", { name: "Shop", url: "https://shop.test/", paused: true })
      const { body: page } = yield* visitor.api("POST", "/pages", { name: "Acme" })
      const window = {
        title: "Upgrade",
        message: "Soon.",
        scheduledStart: "2098-01-01T00:00:00Z",
        scheduledEnd: "2098-01-01T01:00:00Z"
      }
      const { body: planned } = yield* visitor.api("POST", "/maintenance", { ...window, pageIds: [page.id], notify: false })
      const before = (yield* visitor.get(`/app/incidents/${planned.id}`)).text
      expect(before).toContain("It mutes no monitor, because no component that it covers follows one")
      expect(before).toContain("Not notified")
      yield* visitor.api("POST", `/pages/${page.id}/components`, { name: "Checkout", monitorIds: [shop.id] })
      const after = (yield* visitor.get(`/app/incidents/${planned.id}`)).text
      expect(after).not.toContain("It mutes no monitor")
      expect(after).toContain(`<a href="/app/monitors/${shop.id}">Shop</a>`)
      expect((yield* visitor.get("/app/maintenance")).text).toContain("mutes 1 monitor")
    }))
})

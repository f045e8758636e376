/** The list of monitors: its order and groups, which the server makes, and what changes of many at a time. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import { newOwner, type Visitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"

const create = (visitor: Visitor, input: object) =>
  Effect.map(
    visitor.api("POST", "/monitors", { paused: true, url: "https://shop.test/", channelIds: [], ...input }),
    ({ body, status }) => {
      expect([status, body.error]).toEqual([201, undefined])
      return body
    }
  )

/** The box of a monitor's row, as the list has it. */
const boxOf = (text: string, name: string): [string, string] => {
  const box = new RegExp(`name="_row" value="([^"]*)"[^>]*aria-label="Select ${name}"`).exec(text)?.[1] ?? `no box of ${name}`
  return ["_row", box.replaceAll("&quot;", "\"").replaceAll("&amp;", "&")]
}

/** Where the button of a name sends the form. */
const actionOf = (text: string, name: string): string =>
  new RegExp(`formaction="([^"]+)"(?: aria-label="${name}">|>${name}<)`, "i").exec(text)?.[1]?.replaceAll("&amp;", "&") ??
    `no ${name}`

const listed = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<a class="title"[^>]*>([^<]*)<\/a>/g)].map(([, name = ""]) => name)

layer(programOf(), { excludeTestServices: true, timeout: "120 seconds" })("the list of monitors", (it) => {
  it.scoped("is in the order of its address, page by page", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      for (const name of ["cart", "Banner", "auth"]) yield* create(visitor, { name })
      yield* create(visitor, { name: "Zone", kind: "heartbeat", url: undefined, periodSec: 3600, paused: false })
      const orders: ReadonlyArray<[string, ReadonlyArray<string>]> = [
        ["created", ["cart", "Banner", "auth", "Zone"]],
        ["newest", ["Zone", "auth", "Banner", "cart"]],
        ["name", ["auth", "Banner", "cart", "Zone"]],
        ["state", ["Zone", "auth", "Banner", "cart"]]
      ]
      for (const [sort, wanted] of orders) {
        expect([sort, listed((yield* visitor.get(`/app/monitors?sort=${sort}`)).text)]).toEqual([sort, wanted])
        const found: Array<string> = []
        for (let after = ""; found.length < 4;) {
          const { body } = yield* visitor.api("GET", `/monitors?sort=${sort}&limit=1${after === "" ? "" : `&after=${after}`}`)
          found.push(...body.data.map(({ name }: Json) => name))
          if (body.next === null) break
          after = body.next
        }
        expect([sort, found]).toEqual([sort, wanted])
      }
      // Monitors that need attention come first unless the address says otherwise.
      expect(listed((yield* visitor.get("/app/monitors")).text)).toEqual(["Zone", "auth", "Banner", "cart"])
      const paused = yield* visitor.api("GET", "/monitors?sort=state&state=paused&search=a")
      expect(paused.body.data.map(({ name }: Json) => name)).toEqual(["auth", "Banner", "cart"])
      expect((yield* visitor.api("GET", "/monitors?sort=size")).status).toBe(422)
    }))

  it.scoped("groups by tag with the counts of each, and shows the monitors of the open one", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* create(visitor, { name: "Cart", tags: ["shop", "web"] })
      yield* create(visitor, { name: "Feed", tags: ["web"] })
      const { body } = yield* visitor.api("GET", "/monitors?tags=1&limit=1")
      expect(body.tags).toEqual([
        { tag: "shop", monitors: 1, down: 0, degraded: 0 },
        { tag: "web", monitors: 2, down: 0, degraded: 0 }
      ])
      const closed = yield* visitor.get("/app/monitors?group=tag")
      expect(closed.text).toContain("2 monitors")
      expect(listed(closed.text)).toEqual([])
      const open = yield* visitor.get("/app/monitors?group=tag&tag=shop")
      expect(listed(open.text)).toEqual(["Cart"])
      expect(open.text).toMatch(/href="\/app\/monitors\?group=tag" aria-expanded="true"/)
    }))

  it.scoped("has the worst state of each of the last hours", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const beat = yield* create(visitor, { name: "Job", kind: "heartbeat", url: undefined, periodSec: 3600, paused: false })
      const states = Effect.map(visitor.api("GET", "/monitors?trend=1"), ({ body }) => body.data[0].states)
      expect(yield* states).toEqual(Array.from({ length: 24 }, () => null))
      yield* visitor.api("POST", `/heartbeat/${beat.pingUrl.split("/").at(-1)}`, { status: "down" })
      const seen = yield* until(states, (hours) => hours.at(-1) === "down")
      expect(seen.slice(-2)).toEqual([null, "down"])
      expect((yield* visitor.get("/app/monitors")).text).toContain("The last 24 hours, down in 1 of them")
    }))

  it.scoped("changes intervals and thresholds of many, takes tags away, and has each taken back", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* create(visitor, { name: "One", tags: ["old", "web"], intervalSec: 120 })
      yield* create(visitor, { name: "Two", tags: ["old"], failureThreshold: 4 })
      const settings = Effect.map(visitor.api("GET", "/monitors"), ({ body }) =>
        body.data.map((one: Json) => [one.tags.join(), one.intervalSec, one.failureThreshold, one.recoveryThreshold]))
      const before = yield* settings
      const changes: ReadonlyArray<[string, [string, string], ReadonlyArray<ReadonlyArray<unknown>>]> = [
        ["Set interval", ["intervalSec:number", "300"], [["old,web", 300, 2, 1], ["old", 300, 4, 1]]],
        ["Set failures until down", ["failureThreshold:number", "3"], [["old,web", 120, 3, 1], ["old", 60, 3, 1]]],
        ["Set successes until up", ["recoveryThreshold:number", "2"], [["old,web", 120, 2, 2], ["old", 60, 4, 2]]],
        ["Remove tag", ["tags:list", "old"], [["web", 120, 2, 1], ["", 60, 4, 1]]]
      ]
      for (const [button, field, wanted] of changes) {
        const { text } = yield* visitor.get("/app/monitors")
        const done = yield* visitor.submit(actionOf(text, button), [
          ["_form", "monitors"],
          ["_then", "/app/monitors"],
          field,
          boxOf(text, "One"),
          boxOf(text, "Two")
        ])
        expect([button, done.status, yield* settings]).toEqual([button, 200, wanted])
        const undo = formIn(done.text, "undo")
        const action = actionOf(done.text, "Undo")
        yield* visitor.submit(action, filledIn(undo ?? { action, fields: [] }, {}))
        expect([button, yield* settings]).toEqual([button, before])
      }
    }))

  it.scoped("takes back a change of the monitors that are still there, and names those that are not", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* create(visitor, { name: "Stays", intervalSec: 120 })
      yield* create(visitor, { name: "Stays, too", intervalSec: 300 })
      const together = yield* create(visitor, { name: "Gone with one", intervalSec: 120 })
      const alone = yield* create(visitor, { name: "Gone alone", intervalSec: 180 })
      const { text } = yield* visitor.get("/app/monitors")
      const done = yield* visitor.submit(actionOf(text, "Set interval"), [
        ["_form", "monitors"],
        ["_then", "/app/monitors"],
        ["intervalSec:number", "600"],
        ...["Gone alone", "Stays", "Gone with one", "Stays, too"].map((name) => boxOf(text, name))
      ])
      for (const { id } of [together, alone]) yield* visitor.api("DELETE", `/monitors/${id}`)
      const action = actionOf(done.text, "Undo")
      const undone = yield* visitor.submit(action, filledIn(formIn(done.text, "undo") ?? { action, fields: [] }, {}))
      expect([undone.status, undone.text.includes("Undone for 2 of 4.")]).toEqual([422, true])
      for (const name of ["Gone with one", "Gone alone"]) expect(undone.text).toMatch(new RegExp(`${name}[^<]*: No monitor`))
      const { body } = yield* visitor.api("GET", "/monitors?sort=name")
      expect(body.data.map((one: Json) => [one.name, one.intervalSec])).toEqual([["Stays", 120], ["Stays, too", 300]])
    }))

  it.scoped("mutes the selected monitors with one mute, which the notice takes back", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const one = yield* create(visitor, { name: "One" })
      const two = yield* create(visitor, { name: "Two" })
      const { text } = yield* visitor.get("/app/monitors")
      const muted = yield* visitor.submit(actionOf(text, "Mute"), [
        ["_form", "monitors"],
        ["_then", "/app/monitors"],
        ["durationSec:number", "3600"],
        boxOf(text, "One"),
        boxOf(text, "Two")
      ])
      expect([muted.status, muted.location]).toEqual([303, "/app/monitors"])
      const { body } = yield* visitor.api("GET", "/mutes?active=1")
      expect(body.data.map(({ durationSec, monitorIds }: Json) => [durationSec, monitorIds])).toEqual([[3600, [one.id, two.id]]])
      const after = yield* visitor.get("/app/monitors")
      expect([after.text.includes("2 monitors muted"), after.text.includes("muted")]).toEqual([true, true])
      expect(after.text).toContain("/app/do/end_mute")
    }))

  it.scoped("says which value is missing, beside its field", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      yield* create(visitor, { name: "One" })
      const { text } = yield* visitor.get("/app/monitors")
      const refused = yield* visitor.submit(actionOf(text, "Set interval"), [
        ["_form", "monitors"],
        ["_then", "/app/monitors"],
        ["intervalSec:number", ""],
        boxOf(text, "One")
      ])
      expect([refused.status, refused.text.includes("Fill in the value first")]).toEqual([422, true])
      // The panel with the field is open, and the row stays selected.
      expect(refused.text).toMatch(/<details[^>]* id="bulk-more" open>|<details open[^>]* id="bulk-more">/)
    }))
})

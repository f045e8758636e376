/** The monitors of the dashboard: the list and its filters, changes of many at a time, the form, and the first minute. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { WorkspaceId } from "../../schema/Ids.ts"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import { newOwner, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { until } from "../support/time/Until.ts"
import { submitted } from "./Forms.ts"

const create = (visitor: Visitor, input: object) =>
  Effect.map(visitor.api("POST", "/monitors", { paused: true, url: "https://shop.test/", ...input }), ({ body, status }) => {
    expect([status, body.error]).toEqual([201, undefined])
    return body
  })

const row = ({ channelIds, id, name, paused, tags }: Json) =>
  ["_row", JSON.stringify({ id, name, paused, tags, channelIds })] as [string, string]

const bulk = (back = "/app/monitors"): Array<[string, string]> => [["_form", "monitors"], ["_back", back], ["_then", back]]

const doAll = (operation: string, query: Record<string, string>) =>
  `/app/do-all/${operation}?${new URLSearchParams({ _said: "{count:monitor} changed", ...query }).toString()}`

/** A target that answers with a document. */
const target = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/json")
      response.setHeader("x-shop", "open")
      response.end(JSON.stringify({ queue: { depth: 7 } }))
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "120 seconds" })(
  "the monitors of the dashboard",
  (it) => {
    it.effect("are created with the defaults of the form also where more channels are default than a monitor takes", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        yield* Effect.forEach(
          Array.from({ length: 51 }, (_, index) => index),
          (index) =>
            visitor.api("POST", "/channels", { name: `Ops ${index}`, type: "webhook", url: `http://127.0.0.1:9/${index}` })
        )
        const made = yield* submitted(visitor, "/app/monitors/new?kind=http", "monitor", {
          name: "Shop",
          "url:url": "http://127.0.0.1:9/"
        })
        expect([made.status, made.text.includes("Monitor created")]).toEqual([200, true])
        const { data: [shop] } = (yield* visitor.api("GET", "/monitors")).body
        expect(shop.channelIds.length).toBe(50)
        const { text } = yield* visitor.get("/app/on-call")
        expect(text.match(/<input[^>]*name="channelIds:all"[^>]* checked/g)?.length).toBe(50)
      }))

    it.effect("keep a number that an edit cannot clear as required; a new monitor takes the default", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { body } = yield* visitor.api("POST", "/monitors", {
          name: "Shop",
          url: "https://shop.example.com/",
          tags: ["a, b", "c"]
        })
        const needed = (html: string) =>
          ["timeoutMs:millis", "failureThreshold:number", "degradedAfterMs:millis?"].map((name) =>
            [...html.matchAll(/<input[^>]*>/g)].some(([tag]) => tag.includes(`name="${name}"`) && /\srequired/.test(tag))
          )
        expect(needed((yield* visitor.get("/app/monitors/new?kind=http")).text)).toEqual([false, false, false])
        const path = `/app/monitors/${body.id}/edit`
        expect(needed((yield* visitor.get(path)).text)).toEqual([true, true, false])
        yield* submitted(visitor, path, "monitor", { name: "Renamed" })
        expect((yield* visitor.api("GET", `/monitors/${body.id}`)).body).toMatchObject({ name: "Renamed", tags: ["a, b", "c"] })
      }))

    it.scoped("are listed as the interface lists them, narrowed by the filters in the address", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const shop = yield* create(visitor, { name: "Shop front", tags: ["shop"] })
        yield* create(visitor, { name: "Mail relay", url: undefined, host: "mail.test", port: 25 })
        const all = yield* visitor.get("/app/monitors")
        expect([all.status, all.text.includes("Shop front"), all.text.includes("mail.test:25")]).toEqual([200, true, true])
        expect(all.text).toContain(`href="/app/monitors/${shop.id}"`)
        expect(all.text).toMatch(/Paused <span class="count num">2<\/span>/)
        for (const query of ["search=SHOP", "kind=http", "tag=shop", "state=paused&search=front"]) {
          const { text } = yield* visitor.get(`/app/monitors?${query}`)
          expect([query, text.includes("Shop front"), text.includes("Mail relay")]).toEqual([query, true, false])
        }
        const none = yield* visitor.get("/app/monitors?state=down")
        expect(none.text).toContain("No monitors match")
      }))

    it.scoped("go from page to page and back", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        for (let number = 0; number < 51; number++) yield* create(visitor, { name: `Monitor ${number}.` })
        const first = yield* visitor.get("/app/monitors?kind=http&sort=created")
        const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
        expect([first.text.includes("Monitor 49."), first.text.includes("Monitor 50.")]).toEqual([true, false])
        const second = yield* visitor.get(next)
        expect([second.text.includes("Monitor 49."), second.text.includes("Monitor 50.")]).toEqual([false, true])
        expect(second.text).toContain("href=\"/app/monitors?kind=http&amp;sort=created\" rel=\"prev\"")
      }))

    it.scoped("change many at a time: a tag is added to those of each", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const one = yield* create(visitor, { name: "One", tags: ["old"], paused: false })
        const two = yield* create(visitor, { name: "Two", paused: false })
        const tagged = yield* visitor.submit(doAll("update_monitors", { _in: "add", _take: "tags:list" }), [
          ...bulk(),
          ["tags:list", "new"],
          row(one),
          row(two),
          row(two)
        ])
        expect([tagged.status, tagged.text.includes("2 monitors changed")]).toEqual([200, true])
        const paused = yield* visitor.submit(doAll("update_monitors", { "_in": "set", "paused:boolean": "true" }), [
          ...bulk(),
          ["tags:list", ""],
          row(one),
          row(two)
        ])
        expect(paused.text).toContain("data-address=\"/app/monitors\"")
        const { body } = yield* visitor.api("GET", "/monitors")
        expect(body.data.map(({ name, paused, tags }: Json) => [name, paused, tags])).toEqual([
          ["One", true, ["old", "new"]],
          ["Two", true, ["new"]]
        ])
      }))

    it.scoped("have what was changed together undone together, each as it was before", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const channel = (yield* visitor.api("POST", "/channels", { name: "Mail", type: "email", emails: ["a@example.com"] })).body
        const tagged = yield* create(visitor, { name: "Tagged", tags: ["old"], paused: true, channelIds: [] })
        const plain = yield* create(visitor, { name: "Plain", paused: false, channelIds: [channel.id] })
        const rows = [row(tagged), row(plain)]
        const settings = Effect.map(visitor.api("GET", "/monitors"), ({ body }) =>
          body.data.map(({ channelIds, paused, tags }: Json) => ({ channelIds, paused, tags })))
        const before = yield* settings
        const changes: ReadonlyArray<[Record<string, string>, Array<[string, string]>]> = [
          [{ "_in": "set", "paused:boolean": "true" }, []],
          [{ "_in": "set", "paused:boolean": "false" }, []],
          [{ _in: "add", _take: "tags:list" }, [["tags:list", "new"]]],
          [{ _in: "add", _take: "channelIds:all" }, [["channelIds:all", channel.id]]]
        ]
        for (const [query, fields] of changes) {
          const done = yield* visitor.submit(doAll("update_monitors", query), [
            ...bulk("/app/monitors?kind=http"),
            ...fields,
            ...rows
          ])
          expect(yield* settings).not.toEqual(before)
          const undo = formIn(done.text, "undo")
          const action = /formaction="([^"]+)"[^>]*>Undo</i.exec(done.text)?.[1]?.replaceAll("&amp;", "&") ?? "no undo"
          const undone = yield* visitor.submit(action, filledIn(undo ?? { action, fields: [] }, {}))
          expect([undone.status, undone.location]).toEqual([303, "/app/monitors?kind=http"])
          expect(yield* settings).toEqual(before)
        }
      }))

    it.scoped("change all or none, and say by name which could not", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const one = yield* create(visitor, { name: "Stays" })
        const gone = yield* create(visitor, { name: "Gone already" })
        yield* visitor.api("DELETE", `/monitors/${gone.id}`)
        const url = doAll("update_monitors", { "_in": "set", "paused:boolean": "false" })
        const answer = yield* visitor.submit(url, [...bulk(), row(one), row(gone)])
        expect(answer.status).toBe(422)
        expect(answer.text).toContain("Nothing was changed")
        expect(answer.text).toMatch(/Gone already[^<]*No monitor/)
        expect((yield* visitor.api("GET", `/monitors/${one.id}`)).body.paused).toBe(true)
        const nothing = yield* visitor.submit(url, bulk())
        expect([nothing.status, nothing.text.includes("Select at least one row")]).toEqual([422, true])
      }))

    it.scoped("say how many of the selected needed no change, and leave one entry in the audit log", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const rows = [
          row(yield* create(visitor, { name: "Runs", paused: false })),
          row(yield* create(visitor, { name: "Rests" })),
          row(yield* create(visitor, { name: "Rests, too" }))
        ]
        const url = doAll("update_monitors", { "_in": "set", "paused:boolean": "true" })
        const done = yield* visitor.submit(url, [...bulk(), ...rows])
        expect(done.text).toContain("1 monitor changed. 2 of 3 needed no change.")
        const again = yield* visitor.get((yield* visitor.submit(url, [...bulk(), ...rows])).location ?? "")
        expect(again.text).toContain("Nothing to change: already set")
        const { body } = yield* visitor.api("GET", "/audit?operation=update_monitors")
        expect(body.data.length).toBe(2)
        expect((yield* visitor.api("GET", "/audit?operation=update_monitor")).body.data).toEqual([])
      }))

    it.scoped("are deleted only after a view that names them", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const one = yield* create(visitor, { name: "First to go" })
        const two = yield* create(visitor, { name: "Second to go" })
        yield* visitor.api("POST", "/pages", { name: "Status" })
        const [page] = (yield* visitor.api("GET", "/pages")).body.data
        yield* visitor.api("POST", `/pages/${page.id}/components`, { name: "Website", monitorIds: [two.id] })
        const asked = yield* visitor.submit(doAll("delete_monitors", { _confirm: "/app/monitors/delete" }), [
          ...bulk(),
          row(one),
          row(two)
        ])
        expect([asked.status, asked.text.includes("Delete 2 monitors?")]).toEqual([200, true])
        expect(asked.text).toContain("First to go")
        expect(asked.text).toContain("On Status: Website")
        expect((yield* visitor.get(`/app/monitors/${one.id}/delete`)).text).toContain(
          "No component of a status page follows it"
        )
        expect((yield* visitor.api("GET", "/monitors")).body.data.length).toBe(2)
        yield* visitor.submit(doAll("delete_monitors", { "count:number": "2" }), [...bulk(), row(one), row(two)])
        expect((yield* visitor.api("GET", "/monitors")).body.data).toEqual([])
      }))

    it.scoped("are created by a form, which keeps what was typed when it is refused", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        for (
          const kind of [
            "http",
            "tcp",
            "dns",
            "heartbeat",
            "manifest",
            "script",
            "browser",
            "grpc",
            "websocket",
            "ping",
            "domain",
            "mcp"
          ]
        ) {
          const form = yield* visitor.get(`/app/monitors/new?kind=${kind}`)
          expect([kind, form.status, form.text.includes("name=\"name\"")]).toEqual([kind, 200, true])
        }
        const fields = {
          "_form": "monitor",
          "_back": "/app/monitors/new?kind=http",
          "_then": "/app/monitors/{id}",
          "kind": "http",
          "name": "Typed before",
          "url": "https://shop.test/",
          "expectedStatus:text": "200",
          "intervalSec:seconds": "3 s",
          "reminderMinutes:numberList": "30, 60",
          "assertions:list": "",
          "assertions.0.source": "",
          "assertions.2.source": "json",
          "assertions.2.path": "queue.depth",
          "assertions.2.op": "lt",
          "assertions.2.value": "10"
        }
        const refused = yield* visitor.submit("/app/do/create_monitor", fields)
        expect(refused.status).toBe(422)
        expect(refused.text).toContain("value=\"Typed before\"")
        expect(refused.text).toContain("name=\"assertions.2.path\" value=\"queue.depth\"")
        expect(refused.text).toMatch(/class="issue"[^>]*>Enter a duration from 10 s to 1 day\./)
        const made = yield* visitor.submit("/app/do/create_monitor", { ...fields, "intervalSec:seconds": "1 min" })
        expect(made.status).toBe(303)
        const { body } = yield* visitor.api("GET", `${made.location?.replace("/app", "")}`)
        expect(body.reminderMinutes).toEqual([30, 60])
        expect(body.assertions).toMatchObject([{ source: "json", path: "queue.depth", op: "lt", value: "10" }])
        const edit = yield* visitor.get(`${made.location}/edit`)
        expect(edit.text).toContain("value=\"Typed before\"")
        const cleared = yield* visitor.submit("/app/do/update_monitor", {
          "_form": "monitor",
          "_back": `${made.location}/edit`,
          "_then": "/app/monitors",
          "id": body.id,
          "assertions:list": ""
        })
        expect(cleared.status).toBe(303)
        expect((yield* visitor.api("GET", `/monitors/${body.id}`)).body.assertions).toEqual([])
      }))

    it.scoped("can be checked before they are saved, with what the target answered", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { url } = yield* target
        const preview = yield* visitor.submit("/app/do/preview_check", {
          "_form": "monitor",
          "_back": "/app/monitors/new?kind=http",
          "_then": "/app/monitors/{id}",
          "_stay": "true",
          "kind": "http",
          "name": "Not saved",
          url,
          "assertions.0.source": "json",
          "assertions.0.path": "queue.depth",
          "assertions.0.op": "lt",
          "assertions.0.value": "5"
        })
        expect(preview.status).toBe(200)
        expect(preview.text).toContain("What this check would see")
        expect(preview.text).toContain("x-shop: open")
        expect(preview.text).toContain("Fails")
        expect(preview.text).toContain("value=\"Not saved\"")
        expect((yield* visitor.api("GET", "/monitors")).body.data).toEqual([])
      }))

    it.scoped("show the first check, what a check sees, and offer a page and a channel", () =>
      Effect.gen(function*() {
        const { email, visitor } = yield* newOwner()
        const { url } = yield* target
        expect((yield* visitor.get("/app")).text).toContain("Watch your first address")
        const made = yield* visitor.submit("/app/do/create_monitor", {
          _form: "first",
          _back: "/app",
          _then: "/app/monitors/{id}/start",
          name: "Shop",
          url
        })
        const path = made.location ?? ""
        expect(path).toMatch(/^\/app\/monitors\/mon_\w+\/start$/)
        const started = yield* until(visitor.get(path), ({ text }) => text.includes("The target answered as it should"))
        expect(started.text).toContain("Choose where alerts go")
        expect(started.text).toContain(email)
        const id = path.split("/")[3] ?? ""
        const run = yield* visitor.submit("/app/do/run_check", {
          _form: `run-check-${id}`,
          _back: path,
          id,
          "apply:boolean": "true"
        })
        expect([run.status, run.text.includes("x-shop: open")]).toEqual([200, true])
        const channel = yield* visitor.submit("/app/do/create_channel", {
          "_form": "channel",
          "_back": path,
          "_then": path,
          "type": "email",
          "emails:list": email,
          "name": "Email"
        })
        expect(channel.status).toBe(303)
        expect((yield* visitor.get(path)).text).toContain("Send alerts to Email")
        const page = yield* visitor.submit("/app/do/create_page", { _form: "page", _back: path, _then: path, name: newName() })
        expect(page.status).toBe(303)
        const { body } = yield* visitor.api("GET", "/pages")
        const shown = yield* visitor.submit("/app/do/create_component", {
          "_form": "component",
          "_back": path,
          "_then": `${path}?shown={pageId}`,
          "pageId": body.data[0].id,
          "name": "Shop",
          "monitorIds:list": id
        })
        expect(shown.location).toBe(`${path}?shown=${body.data[0].id}`)
        expect((yield* visitor.get(shown.location ?? "")).text).toContain("shows this monitor")
      }))

    it.scoped("show viewers no forms, and nobody the monitors of another workspace", () =>
      Effect.gen(function*() {
        const owner = yield* newOwner()
        const monitor = yield* create(owner.visitor, { name: "Shop" })
        const { headers: viewer } = yield* signedIn(WorkspaceId.make(owner.id), "viewer")
        const seen = yield* newVisitor
        const list = yield* seen.get("/app/monitors", viewer)
        expect([list.status, list.text.includes("Shop"), list.text.includes("name=\"_row\"")]).toEqual([200, true, false])
        expect(list.text).not.toContain("New monitor")
        const tried = yield* seen.submit(
          doAll("update_monitors", { "_in": "set", "paused:boolean": "false" }),
          [...bulk(), row(monitor)],
          { ...viewer, origin: "https://belltower.test" }
        )
        expect([tried.status, tried.text.includes("Viewers have read-only access")]).toEqual([403, true])
        const other = yield* newOwner()
        for (const view of ["edit", "delete", "start"]) {
          expect((yield* other.visitor.get(`/app/monitors/${monitor.id}/${view}`)).status).toBe(404)
        }
      }))
  }
)

let names = 0
const newName = (): string => `Status ${++names} ${Math.random().toString(36).slice(2)}`

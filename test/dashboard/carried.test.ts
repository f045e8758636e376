/** Text typed into a form is kept when a choice shows it with other fields, and every refusal stands beside its field. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { formIn } from "../support/browser/FormIn.ts"
import { newOwner } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { fillWorkspace } from "./FullWorkspace.ts"

const show = (back: string) => `/app/show?_back=${encodeURIComponent(back)}`

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "170 seconds" })(
  "A form of the dashboard",
  (it) => {
    it.effect("is shown with other fields and what was typed, at an address that can be opened again", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const address = show("/app/monitors/new?kind=websocket")
        const typed = { "_form": "monitor", "name": "Kept & \"quoted\"", "url:url": "shop.example.com", "keyword:text?": "ready" }
        const shown = yield* visitor.submit(address, typed)
        const fields = new Map(formIn(shown.text, "monitor")?.fields)
        expect([shown.status, fields.get("name"), fields.get("kind")]).toEqual([200, typed.name, "websocket"])
        expect([fields.get("url:socket"), fields.get("keyword:text?")]).toEqual(["wss://shop.example.com", "ready"])
        expect(shown.text).not.toContain("aria-invalid")
        const again = yield* visitor.get(address)
        expect([again.status, again.location]).toEqual([303, "/app/monitors/new?kind=websocket"])
        const elsewhere = yield* visitor.submit(show("//evil.test"), typed)
        expect(elsewhere.status).toBe(422)
        const foreign = yield* visitor.submit(address, typed, { origin: "https://evil.test" })
        expect(foreign.status).toBe(403)
      }))

    it.effect("keeps the components of a page that is not shown any more", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { components } = yield* fillWorkspace(visitor)
        const pages = []
        for (const name of ["Second", "Third", "Fourth"]) pages.push((yield* visitor.api("POST", "/pages", { name })).body)
        const other = yield* visitor.api("POST", `/pages/${pages[0].id}/components`, { name: "Search", manual: true })
        const shown = yield* visitor.submit(show(`/app/incidents/new?page=${pages[0].id}`), {
          "_form": "incident",
          "title": "Slow",
          "message": "We look.",
          "components.0.componentId": components[0].id,
          "components.0.status:key": "major_outage"
        })
        const form = formIn(shown.text, "incident")
        expect(new Map(form?.fields).get("title")).toBe("Slow")
        const sent = yield* visitor.submit(
          form?.action ?? "",
          (form?.fields ?? []).map(([name, value]): [string, string] => [name, value])
        )
        expect(sent.status).toBe(303)
        const { body } = yield* visitor.api("GET", String(sent.location).replace("/app", ""))
        expect(body.components.map((one: { componentId: string; status: string }) => [one.componentId, one.status])).toEqual([
          [components[0].id, "major_outage"]
        ])
        expect(shown.text).toContain(other.body.id)
      }))

    it.effect("says all that is wrong, by the labels of its fields, with links to them", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const page = yield* visitor.get("/app/monitors/new")
        const form = formIn(page.text, "monitor")
        const fields = (form?.fields ?? []).map(([name, value]): [string, string] => [
          name,
          name === "intervalSec:seconds" ? "-7" : name === "timeoutMs:millis" ? "1" : value
        ])
        const { status, text } = yield* visitor.submit(form?.action ?? "", fields)
        expect(status).toBe(422)
        const alert = /<div class="wrong"[\s\S]*?<\/div>/.exec(text)?.[0] ?? ""
        const links = [...alert.matchAll(/<a href="#([^"]*)">([^<]*)<\/a>/g)].map(([, id = "", label = ""]) => [id, label])
        expect(links.map(([, label]) => label)).toEqual(["URL", "Name", "Check every", "Timeout"])
        for (const [id] of links) {
          expect(text).toMatch(new RegExp(`<input[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*${id}-issue[^>]*id="${id}"`))
        }
        expect(alert.replace(/<[^>]*>/g, "")).not.toMatch(/intervalSec|timeoutMs|Required|Expected/)
      }))
  }
)

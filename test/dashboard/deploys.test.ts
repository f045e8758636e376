/** The view of deploys: each is recorded and deleted there, and shown with the incidents that followed. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newOwner } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { submitted } from "./Forms.ts"

const path = "/app/deploys"

layer(programOf(), { excludeTestServices: true })("the view of deploys", (it) => {
  it.effect("records a deploy by hand, and deletes one that was recorded by mistake", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { body: monitor } = yield* visitor.api("POST", "/monitors", { name: "Shop", periodSec: 60 })
      const read = Effect.map(visitor.api("GET", "/deploys"), ({ body }) => body.data)
      expect((yield* visitor.get(path)).text).toContain("No deploys yet")
      const made = yield* submitted(visitor, path, "new-deploy", {
        version: "2026.50",
        environment: "production",
        "at:moment@UTC": "2026-11-20T03:00",
        "monitorIds:list": monitor.id
      })
      expect(made.text).toContain("Deploy recorded")
      expect(made.text).toContain("1 monitor<")
      const [deploy] = yield* read
      const at = "2026-11-20T03:00:00.000Z"
      expect(deploy).toMatchObject({ version: "2026.50", environment: "production", at, monitorIds: [monitor.id] })
      expect((yield* newOwner().pipe(Effect.flatMap((other) => other.visitor.get(path)))).text).not.toContain(deploy.id)
      const gone = yield* submitted(visitor, path, `delete-${deploy.id}`)
      expect([gone.text.includes("Deploy deleted"), yield* read]).toEqual([true, []])
    }))

  it.effect("names what a deploy concerns, and pages through many", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      for (let day = 1; day <= 51; day++) {
        const at = new Date(Date.UTC(2026, 0, day)).toISOString()
        yield* visitor.api("POST", "/deploys", { version: `v${day}.`, at, ...day === 51 ? { service: "shop" } : {} })
      }
      const { text } = yield* visitor.get(path)
      expect(text).toContain("Monitors of shop")
      expect(text).toContain("The whole workspace")
      const next = /href="(\/app\/deploys\?before=[^"]*)"/.exec(text)?.[1] ?? ""
      const second = (yield* visitor.get(next)).text
      expect([text, second].map((shown) => [shown.includes("v51."), shown.includes("v1.")])).toEqual([[true, false], [
        false,
        true
      ]])
    }))
})

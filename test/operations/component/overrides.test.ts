/** Overrides of components through the public interface. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestProgram } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"
import { newPage } from "../incident/Fixtures.ts"

layer(TestProgram, { excludeTestServices: true, timeout: "60 seconds" })("an override of a component", (it) => {
  it.effect("stands above its incident until it is cleared, and each change is announced", () =>
    Effect.gen(function*() {
      const { checkout, client, events, shown, statusOf } = yield* newPage
      const path = `/components/${checkout.id}/override`
      yield* client.post("/incidents", {
        title: "Outage",
        message: "Down.",
        components: [{ componentId: checkout.id, status: "major_outage" }]
      })
      const changes = Effect.map(events("component.status_changed"), (all) => all.map(({ data }) => data.to))
      yield* until(changes, (to) => to.length === 1)
      const fixed = yield* client.post(path, { status: "operational", reason: "False alarm of rack 4" })
      expect(fixed.body).toMatchObject({
        id: checkout.id,
        status: "operational",
        override: { status: "operational", reason: "False alarm of rack 4" }
      })
      const page = yield* shown((body) => statusOf(body, "Checkout") === "operational")
      expect(JSON.stringify(page)).not.toContain("rack 4")
      yield* until(changes, (to) => to.length === 2)
      expect((yield* client.post(path, { status: null })).body).toMatchObject({ status: "major_outage", override: null })
      yield* until(changes, (to) => to.length === 3)
      expect(yield* changes).toEqual(["major_outage", "operational", "major_outage"])
      expect((yield* client.post(path, {})).status).toBe(422)
      expect((yield* client.post(path, { status: "unknown" })).status).toBe(422)
    }))
})

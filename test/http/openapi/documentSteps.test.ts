/** The document is made in steps that leave room for requests in between. */
import { OpenApi } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { runSteps } from "../../../src/domain/tools/Steps.ts"
import { specSteps } from "../../../src/http/openapi/GroupSpecs.ts"
import { openApiSteps } from "../../../src/http/openapi/OpenApiDocument.ts"
import { callCounter } from "../../support/measure/WorkDone.ts"

describe("the OpenAPI document", () => {
  it("is the same in steps as in one piece", () => {
    expect(runSteps(specSteps())).toEqual(OpenApi.fromApi(Api))
  })

  it.scoped("has no step with more than a fifth of the work", () =>
    Effect.gen(function*() {
      const callsOf = yield* callCounter
      const steps = openApiSteps("https://belltower.test")
      const calls: Array<number> = []
      for (let done = false; !done;) {
        calls.push(
          yield* callsOf(Effect.sync(() => {
            done = steps.next().done === true
          }))
        )
      }
      const all = calls.reduce((sum, one) => sum + one, 0)
      expect(Math.max(...calls) / all).toBeLessThan(0.2)
    }))
})

/** The pages of the reference are rendered in steps that leave room for requests in between. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { groups } from "../../src/docs/DocsLinks.ts"
import { groupPage } from "../../src/docs/GroupPage.tsx"
import { schemasPage } from "../../src/docs/SchemasPage.tsx"
import { searchIndex } from "../../src/docs/SearchIndex.ts"
import { runSteps, type Steps } from "../../src/domain/tools/Steps.ts"
import { documentText, openApiSteps } from "../../src/http/openapi/OpenApiDocument.ts"
import { operations } from "../../src/http/openapi/Operations.ts"
import { turnsDuring } from "../support/measure/Turns.ts"
import { testBaseUrl } from "../support/program/TestServer.ts"

const document = runSteps(openApiSteps(testBaseUrl))

const stepsOf = (steps: Steps<unknown>): number => {
  let count = 1
  while (steps.next().done !== true) count++
  return count
}

describe("a page of the reference", () => {
  it("has at most two operations or schemas in one step", () => {
    for (const [group, members] of groups) {
      expect([group, stepsOf(groupPage(testBaseUrl, document, group, members)) >= members.length / 2]).toEqual([group, true])
    }
    const schemas = Object.keys(document.components.schemas)
    expect(stepsOf(schemasPage(testBaseUrl, document))).toBeGreaterThanOrEqual(schemas.length / 2)
  })

  it("is searched by an index that is made of a few operations in one step", () => {
    expect(stepsOf(searchIndex(testBaseUrl, document))).toBeGreaterThanOrEqual(operations.length / 8)
  })
})

describe("the OpenAPI document", () => {
  it.effect("is encoded over many turns, as the whole is", () =>
    Effect.gen(function*() {
      const { result, turns } = yield* turnsDuring(documentText(document))
      expect(JSON.parse(result)).toEqual(JSON.parse(JSON.stringify(document)))
      expect(turns).toBeGreaterThanOrEqual(operations.length)
      // Encoded once.
      expect((yield* turnsDuring(documentText(document))).turns).toBeLessThan(3)
    }))
})

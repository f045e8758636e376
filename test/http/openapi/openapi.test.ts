/** The OpenAPI document. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isIdempotent, operations } from "../../../src/http/openapi/Operations.ts"
import { callJson, type Json, testBaseUrl, TestServer } from "../../support/program/TestServer.ts"

const document = Effect.map(callJson("/api/v1/openapi.json"), ({ body }) => body)

const operationsOf = (body: Json): ReadonlyArray<Json> =>
  Object.entries<Json>(body.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ ...operation, path, method }))
  )

layer(TestServer, { excludeTestServices: true })("the OpenAPI document", (it) => {
  it.effect("has version 3.1.0, describes version 1.0.0 and contains the service's URL", () =>
    Effect.gen(function*() {
      const body = yield* document
      expect([body.openapi, body.info.version, body.servers]).toEqual(["3.1.0", "1.0.0", [{ url: testBaseUrl }]])
    }))

  it.effect("contains every operation under its own id", () =>
    Effect.gen(function*() {
      const found = operationsOf(yield* document)
      expect(found.map(({ operationId }) => operationId).sort()).toEqual(operations.map(({ id }) => id).sort())
      for (const { method, operationId, path, summary } of found) {
        const operation = operations.find(({ id }) => id === operationId)
        expect([path, method]).toEqual([operation?.path.replace(/:(\w+)/g, "{$1}"), operation?.method.toLowerCase()])
        expect(summary).not.toBe("")
      }
    }))

  it.effect("documents the errors of each operation, all in the same envelope", () =>
    Effect.gen(function*() {
      const body = yield* document
      for (const { operationId, responses, security } of operationsOf(body)) {
        const operation = operations.find(({ id }) => id === operationId)
        const failures = Object.keys(responses).filter((status) => Number(status) >= 400)
        expect(failures).toEqual(expect.arrayContaining(["500", "503"]))
        const { scope } = operation ?? { scope: "public" }
        expect([operationId, "401" in responses, "403" in responses || scope === "public", security]).toEqual([
          operationId,
          scope !== "public",
          true,
          scope === "public" ? [] : [{ bearer: [scope] }, { session: [scope] }]
        ])
        expect([operationId, "422" in responses]).toEqual([
          operationId,
          operation?.payload._tag === "Some" || operation?.query._tag === "Some" || operation?.errors.includes(422) ||
          (operation !== undefined && isIdempotent(operation))
        ])
        for (const status of failures) {
          const { content, description } = body.components.responses[responses[status].$ref.replace(/^.*\//, "")]
          const { example, schema } = content["application/json"]
          expect([schema, description]).toEqual([
            { $ref: "#/components/schemas/Error" },
            expect.stringContaining(`(${example.error.code})`)
          ])
        }
      }
      expect(JSON.stringify(body)).not.toContain("HttpApiDecodeError")
    }))

  it.effect("refers only to components that it contains, and contains only components that are referenced", () =>
    Effect.gen(function*() {
      const body = yield* document
      const referred = [...JSON.stringify(body).matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name)
      expect([...new Set(referred)].sort()).toEqual(Object.keys(body.components.schemas).sort())
      expect(body.components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" })
    }))

  it.effect("gives no schema an address of its own, which would change what the references in it refer to", () =>
    Effect.gen(function*() {
      expect(JSON.stringify(yield* document).match(/.{0,90}"\$id".{0,60}/g)).toBeNull()
    }))

  it.effect("asks for URIs, but answers addresses as they were given or masked", () =>
    Effect.gen(function*() {
      const { components, paths } = yield* document
      const format = { format: "uri" }
      const { ChannelEntry, ListedPage, MonitorInput, PageInput } = components.schemas
      expect(MonitorInput.properties.url).toMatchObject(format)
      expect(PageInput.properties.branding.properties.websiteUrl.anyOf[0]).toMatchObject(format)
      const created = paths["/api/v1/pages"].post.responses["201"]
      expect(JSON.stringify([ChannelEntry, ListedPage, created])).not.toContain("\"uri\"")
    }))

  it.effect("keeps the limits of the fields", () =>
    Effect.gen(function*() {
      const { components, paths } = yield* document
      expect(components.schemas.MonitorInput.properties.intervalSec).toMatchObject({
        type: "integer",
        minimum: 10,
        maximum: 86400
      })
      expect(components.schemas.MonitorInput.properties.name).toEqual({
        type: "string",
        description: "Name for people, in alerts and on the dashboard",
        minLength: 1,
        maxLength: 120,
        pattern: "\\S",
        examples: ["Checkout API"]
      })
      const limit = paths["/api/v1/events"].get.parameters.find(({ name }: Json) => name === "limit")
      expect(limit).toMatchObject({ in: "query", required: false, schema: { type: "integer", minimum: 1, maximum: 500 } })
    }))
})

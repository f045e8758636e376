/** Checks the OpenAPI document: it lints, and every operation is described with examples that its own schemas accept. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Array, Either, Option, Predicate, Schema, SchemaAST } from "effect"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { decodeEventData, events, eventTypes } from "../../schema/event/EventData.ts"
import { runSteps } from "../../src/domain/tools/Steps.ts"
import { exampleOf } from "../../src/http/openapi/Examples.ts"
import { tidy } from "../../src/http/openapi/JsonSchemas.ts"
import { openApiSteps } from "../../src/http/openapi/OpenApiDocument.ts"
import { type Operation, operations, type PartSchema } from "../../src/http/openapi/Operations.ts"
import type { Json } from "../support/program/TestServer.ts"

/** The document as a client reads it. */
const document: Json = JSON.parse(JSON.stringify(runSteps(openApiSteps("https://belltower.test"))))

const schemas: Json = document.components.schemas

const entryOf = ({ method, path }: Operation): Json => document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]

const json = (content: Json): Json => content?.["application/json"]

/** The parameters of the operation itself. */
const ownParameters = (operation: Operation): ReadonlyArray<Json> =>
  entryOf(operation).parameters.filter((one: Json) => one.$ref === undefined)

const decodes = (part: Option.Option<PartSchema>, value: unknown) =>
  Option.match(part, {
    onNone: () => undefined,
    onSome: (schema) => Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(value)
  })

/** Query and path values are text. */
const asTexts = (parameters: ReadonlyArray<Json>) =>
  Object.fromEntries(
    parameters.map(({ example, name }) => [name, typeof example === "string" ? example : JSON.stringify(example)])
  )

/** Whether a description was written by an author: the generator's own notes are removed from the document. */
const isWritten = (description: string) => Predicate.hasProperty(tidy({ type: "string", description }), "description")

/** The descriptions that authors wrote for the fields of a body or a query. */
const descriptionsOf = (part: Option.Option<PartSchema>): ReadonlyArray<string> =>
  Option.match(part, {
    onNone: () => [],
    onSome: ({ ast }) =>
      SchemaAST.isTypeLiteral(ast)
        ? Array.getSomes(
          ast.propertySignatures.map(({ type }) =>
            Option.isSome(SchemaAST.getIdentifierAnnotation(type)) ? Option.none() : SchemaAST.getDescriptionAnnotation(type)
          )
        )
          .filter(isWritten)
        : []
  })

describe("the OpenAPI document", () => {
  it("lints without a problem under Redocly's recommended rules, with every example valid", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        "no-invalid-media-type-examples": "error",
        "no-invalid-parameter-examples": "error",
        "no-invalid-schema-examples": "error"
      }
    })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config })
    expect(problems.map(({ location, message, ruleId }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it("groups the operations under tags with descriptions", () => {
    for (const { description, name } of document.tags) {
      expect([name, description ?? ""]).toEqual([name, expect.stringMatching(/\w/)])
    }
    expect(document.tags.map(({ name }: Json) => name)).toEqual(Array.dedupe(operations.map(({ group }) => group)))
  })
})

/** Every field of a schema, with its path and whether it is described. */
const fieldsOf = (schema: Json, path: string): ReadonlyArray<readonly [string, boolean]> => {
  if (schema === null || typeof schema !== "object") return []
  const own = Object.entries<Json>(schema.properties ?? {}).flatMap(([name, field]) => [
    [`${path}.${name}`, typeof field.description === "string" && field.description !== ""] as const,
    ...fieldsOf(field, `${path}.${name}`)
  ])
  const inner = [schema.items, schema.additionalProperties, ...schema.anyOf ?? [], ...schema.oneOf ?? [], ...schema.allOf ?? []]
  return [...own, ...inner.flatMap((one: Json) => fieldsOf(one, path))]
}

/** The names that generators of clients make for the objects within a schema: its own, and the fields on the way. */
const namesWithin = (schema: Json, name: string): ReadonlyArray<string> =>
  Object.entries<Json>(schema?.properties ?? {}).flatMap(([field, inner]) => {
    const own = name + field.charAt(0).toUpperCase() + field.slice(1)
    return [inner, inner.items, ...inner.anyOf ?? []].flatMap((one: Json) =>
      one?.properties === undefined ? [] : [own, ...namesWithin(one, own)]
    )
  })

describe("every schema", () => {
  it("has a name that generators give to no object within another: clients would lose both", () => {
    const made = Object.entries<Json>(schemas).flatMap(([name, schema]) => namesWithin(schema, name))
    expect(made.length).toBeGreaterThan(20)
    expect(made.filter((name) => Object.hasOwn(schemas, name))).toEqual([])
  })
})

describe("every field", () => {
  // A field that is missing here needs a description in its schema, or a line in src/http/openapi/Words.ts.
  it("has a description", () => {
    const bodies = operations.flatMap((operation) => {
      const { requestBody, responses } = entryOf(operation)
      return [json(requestBody?.content), json(responses[operation.success].content)].map((body) => [operation.id, body?.schema])
    })
    const sent = Object.entries<Json>(document.webhooks).map(([type, { post }]) => [type, json(post.requestBody.content).schema])
    const all = [...Object.entries(schemas), ...bodies, ...sent].flatMap(([name, schema]) => fieldsOf(schema, String(name)))
    expect(all.length).toBeGreaterThan(1000)
    expect(all.filter(([, described]) => !described).map(([path]) => path)).toEqual([])
  })
})

describe("the webhooks section", () => {
  it("has every event that reaches a channel, with an example that its schema accepts", () => {
    const delivered = eventTypes.filter((type) => !["none", "way"].includes(events[type].audience.channels))
    expect(Object.keys(document.webhooks)).toEqual(delivered)
    for (const [name, { post }] of Object.entries<Json>(document.webhooks)) {
      const { example, schema } = json(post.requestBody.content)
      const type = delivered.find((one) => one === name)
      expect([name, example.type, schema.required]).toEqual([name, name, ["id", "type", "timestamp", "workspaceId", "data"]])
      if (type === undefined) continue
      expect([name, Either.getLeft(decodeEventData(type, example.data)).toString()]).toEqual([name, Option.none().toString()])
      expect([name, JSON.stringify(example)]).toEqual([name, expect.not.stringMatching(/"text"/)])
    }
  })

  it("has examples that a receiver with the library of Standard Webhooks accepts once they are signed", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const receiver = new Webhook(secret)
    for (const { post } of Object.values<Json>(document.webhooks)) {
      const body = JSON.stringify(json(post.requestBody.content).example)
      const at = new Date()
      const sent = {
        "webhook-id": "evt_1",
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": receiver.sign("evt_1", at, body)
      }
      expect(Object.keys(sent)).toEqual(post.parameters.map(({ name }: Json) => name))
      expect(receiver.verify(body, sent)).toEqual(JSON.parse(body))
    }
  })
})

/** A record whose parts contradict each other misleads; these are the parts that depend on each other. */
describe("the example of a monitor", () => {
  const monitor = json(document.paths["/api/v1/monitors/{id}"].get.responses[200].content).example

  it("is one that can exist: an http monitor with a URL that is up, checked and not paused", () => {
    expect(monitor).toMatchObject({
      kind: "http",
      url: expect.stringMatching(/^https:/),
      host: null,
      pingUrl: null,
      paused: false,
      state: "up",
      openIncidentId: null,
      lastCheck: { outcome: "up", statusCode: 200, error: null }
    })
    expect(monitor.timeoutMs).toBeLessThanOrEqual(monitor.intervalSec * 1000)
  })
})

/** An operation that fails here lacks descriptions or examples in its schemas; see CONTRIBUTING.md. */
describe.each(operations.map((operation) => [operation.id, operation] as const))("the operation %s", (_, operation) => {
  const entry = entryOf(operation)

  it("has its own summary, a description and its errors", () => {
    expect(operation.summary).not.toBe(operation.id)
    expect(operation.summary).not.toMatch(/\.$/)
    expect(entry.description).toMatch(/\.$/)
    expect(Object.keys(entry.responses)).toEqual(expect.arrayContaining([String(operation.success), "500", "503"]))
  })

  it("describes each parameter, with an example", () => {
    for (const { description, in: place, name, schema } of ownParameters(operation)) {
      expect([place, name, description]).toEqual([place, name, expect.stringMatching(/\w/)])
      expect([place, name, exampleOf(schema, schemas, "request").gaps]).toEqual([place, name, []])
    }
    const at = (place: string) => asTexts(ownParameters(operation).filter((one) => one.in === place))
    decodes(operation.pathParams, at("path"))
    decodes(operation.query, at("query"))
  })

  it("has an example request that it accepts", () => {
    const body = json(entry.requestBody?.content)
    expect(body !== undefined).toBe(Option.isSome(operation.payload))
    if (body === undefined) return
    expect(exampleOf(body.schema, schemas, "request").gaps).toEqual([])
    expect(body.example).not.toEqual({})
    decodes(operation.payload, body.example)
  })

  it("has an example response without generated texts", () => {
    const answer = json(entry.responses[operation.success].content)
    expect(exampleOf(answer.schema, schemas, "answer").gaps).toEqual([])
  })

  it("keeps every description that was written for its fields", () => {
    const written = [...descriptionsOf(operation.payload), ...descriptionsOf(operation.query)]
    const documented = JSON.stringify([entry, schemas])
    expect(written.filter((text) => !documented.includes(JSON.stringify(text).slice(1, -1)))).toEqual([])
  })
})
